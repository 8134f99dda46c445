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

const kRim = 1.5; // [px]

// White with a dark rim: seen before any background.
export class HandleMarks {
  readonly root = new THREE.Group();
  private rims = discs(0x1a2029, 6);
  private discs = discs(0xffffff, 7);

  constructor() {
    this.root.add(this.rims, this.discs);
  }

  update(handles: Handle[], metresPerPixel: (p: THREE.Vector3) => number): void {
    const matrix = new THREE.Matrix4();
    const places = handles.slice(0, kMost);
    for (const [mesh, pixels] of [[this.rims, kPixels + kRim], [this.discs, kPixels]] as const) {
      mesh.count = places.length;
      places.forEach(({ at }, i) => {
        const radius = pixels * metresPerPixel(at);
        mesh.setMatrixAt(i, matrix.makeScale(radius, radius, radius).setPosition(at));
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

function discs(color: number, order: number): THREE.InstancedMesh {
  const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, toneMapped: false });
  const mesh = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 14, 10), material, kMost);
  mesh.frustumCulled = false;
  mesh.renderOrder = order;
  mesh.count = 0;
  return mesh;
}
