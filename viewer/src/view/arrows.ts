import * as THREE from 'three';

// Many straight arrows as two instanced meshes (shafts and heads), of one colour each.

const kUp = new THREE.Vector3(0, 1, 0);
const matrix = new THREE.Matrix4();
const rotation = new THREE.Quaternion();
const direction = new THREE.Vector3();
const place = new THREE.Vector3();
const size = new THREE.Vector3();

export class Arrows {
  readonly root = new THREE.Group();
  private shafts: THREE.InstancedMesh;
  private heads: THREE.InstancedMesh;
  private count = 0;

  constructor(private capacity: number, private thickness: number, onTop = false) {
    const material = new THREE.MeshBasicMaterial({ depthTest: !onTop, transparent: onTop });
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), material, capacity);
    this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(1, 1, 16).translate(0, 0.5, 0), material, capacity);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      mesh.renderOrder = onTop ? 5 : 0;
      this.root.add(mesh);
    }
  }

  begin(thickness = this.thickness): void {
    this.count = 0;
    this.thickness = thickness;
  }

  // From a point along a vector of the length to be drawn [m].
  add(from: THREE.Vector3, along: THREE.Vector3, color: THREE.Color): void {
    const length = along.length();
    if (this.count >= this.capacity || !(length > 1e-9)) return;
    const head = Math.min(5 * this.thickness, 0.6 * length);
    const width = Math.min(this.thickness, 0.25 * head);
    rotation.setFromUnitVectors(kUp, direction.copy(along).divideScalar(length));
    this.shafts.setMatrixAt(this.count, matrix.compose(from, rotation, size.set(width, length - head, width)));
    place.copy(from).addScaledVector(direction, length - head);
    this.heads.setMatrixAt(this.count, matrix.compose(place, rotation, size.set(2.4 * width, head, 2.4 * width)));
    this.shafts.setColorAt(this.count, color);
    this.heads.setColorAt(this.count, color);
    ++this.count;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}
