import * as THREE from 'three';
import type { Contact } from '../protocol/frame';
import { Arrows } from './arrows';
import { lengthOf, type ArrowScale } from './arrow_scale';

// A dot for each contact and an arrow for the force on the second body.

const kMost = 4096;

export class Contacts {
  readonly root = new THREE.Group();
  private dots: THREE.InstancedMesh;
  private arrows = new Arrows(kMost, 0.004);
  private color = new THREE.Color();

  constructor() {
    const material = new THREE.MeshBasicMaterial();
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 10, 8), material, kMost);
    this.dots.frustumCulled = false;
    this.dots.count = 0;
    this.root.add(this.dots, this.arrows.root);
  }

  update(contacts: Contact[], scale: ArrowScale, color: number): void {
    this.color.set(color);
    const radius = 0.045 * scale.length;
    const matrix = new THREE.Matrix4().makeScale(radius, radius, radius);
    const point = new THREE.Vector3();
    const force = new THREE.Vector3();
    this.arrows.begin(0.03 * scale.length);
    contacts.forEach((contact, i) => {
      matrix.setPosition(point.set(...contact.point));
      this.dots.setMatrixAt(i, matrix);
      this.dots.setColorAt(i, this.color);
      force.set(...contact.force);
      const magnitude = force.length();
      if (magnitude > 0) this.arrows.add(point, force.multiplyScalar(lengthOf(scale, magnitude) / magnitude), this.color);
    });
    this.arrows.end();
    this.dots.count = contacts.length;
    this.dots.instanceMatrix.needsUpdate = true;
    if (this.dots.instanceColor) this.dots.instanceColor.needsUpdate = true;
  }
}
