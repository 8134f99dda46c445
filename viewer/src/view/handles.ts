import * as THREE from 'three';
import type { Icon } from '../protocol/messages';

// Small discs of constant size on the screen that can be taken with the mouse.

export interface HandleResult {
  icon?: Icon; // as it would be, for the picture
  args: Record<string, unknown>; // of the command that makes it so
}

export interface Handle {
  owner: string;
  role: string;
  at: THREE.Vector3;
  release?: () => void; // what it showed while it was held goes
  follow(p: THREE.Vector3): HandleResult;
}

const kMost = 64;
const kPixels = 6;

export class HandleMarks {
  readonly root: THREE.InstancedMesh;

  constructor() {
    const material = new THREE.MeshBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true, opacity: 0.95 });
    this.root = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 14, 10), material, kMost);
    this.root.frustumCulled = false;
    this.root.renderOrder = 6;
    this.root.count = 0;
  }

  update(handles: Handle[], metresPerPixel: (p: THREE.Vector3) => number): void {
    const matrix = new THREE.Matrix4();
    this.root.count = Math.min(kMost, handles.length);
    for (let i = 0; i < this.root.count; ++i) {
      const { at } = handles[i]!;
      const radius = kPixels * metresPerPixel(at);
      this.root.setMatrixAt(i, matrix.makeScale(radius, radius, radius).setPosition(at));
    }
    this.root.instanceMatrix.needsUpdate = true;
  }
}
