import * as THREE from 'three';

// Orbit, pan and zoom about a point, with up against gravity; also follows a point and moves between views softly.

const kNearPole = 0.02; // [rad]
const kSoft = 14; // how fast the camera comes to where it is wanted [1/s]

export class OrbitCamera {
  readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private basis = new THREE.Quaternion(); // takes y to up
  private wanted = { azimuth: 0.6, polar: 1.15, distance: 2, target: new THREE.Vector3() };
  private now = { azimuth: 0.6, polar: 1.15, distance: 2, target: new THREE.Vector3() };
  private followed: THREE.Vector3 | null = null;
  private still = false;

  setUp(up: THREE.Vector3): void {
    this.basis.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up.clone().normalize());
    this.camera.up.copy(up).normalize();
    this.still = false;
  }

  frame(box: THREE.Box3, extent: number, jump: boolean): void {
    const sphere = box.isEmpty() ? new THREE.Sphere(new THREE.Vector3(), extent / 2) : box.getBoundingSphere(new THREE.Sphere());
    const angle = THREE.MathUtils.degToRad(this.camera.fov / 2);
    const narrow = Math.min(1, this.camera.aspect);
    this.wanted.target.copy(sphere.center);
    this.wanted.distance = (1.12 * Math.max(sphere.radius, 0.02 * extent)) / Math.sin(angle) / narrow;
    if (jump) this.jump();
    this.still = false;
  }

  look(azimuth: number, polar: number, jump = false): void {
    // The short way round.
    const turn = 2 * Math.PI;
    this.wanted.azimuth = azimuth + turn * Math.round((this.now.azimuth - azimuth) / turn);
    this.wanted.polar = THREE.MathUtils.clamp(polar, kNearPole, Math.PI - kNearPole);
    if (jump) this.jump();
    this.still = false;
  }

  // From a direction given in the world's axes: 'front' of a planar mechanism is along the common axis of its joints.
  lookAlong(direction: THREE.Vector3, jump = false): void {
    const local = direction.clone().negate().applyQuaternion(this.basis.clone().invert()).normalize();
    this.look(Math.atan2(local.x, local.z), Math.acos(THREE.MathUtils.clamp(local.y, -1, 1)), jump);
  }

  rotate(right: number, down: number): void {
    this.wanted.azimuth -= right;
    this.wanted.polar = THREE.MathUtils.clamp(this.wanted.polar - down, kNearPole, Math.PI - kNearPole);
    this.still = false;
  }

  // By parts of the height of the picture.
  pan(right: number, up: number): void {
    const height = 2 * this.now.distance * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const x = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0);
    const y = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 1);
    this.wanted.target.addScaledVector(x, right * height).addScaledVector(y, up * height);
    this.still = false;
  }

  zoom(factor: number): void {
    this.wanted.distance = THREE.MathUtils.clamp(this.wanted.distance * factor, 1e-4, 1e6);
    this.still = false;
  }

  // The camera goes along with a point that moves; null lets go.
  follow(point: THREE.Vector3 | null): void {
    if (point && this.followed) {
      const moved = point.clone().sub(this.followed);
      this.now.target.add(moved);
      this.wanted.target.add(moved);
      this.still = this.still && moved.lengthSq() === 0;
    }
    this.followed = point ? point.clone() : null;
  }

  centre(point: THREE.Vector3): void {
    this.wanted.target.copy(point);
    this.still = false;
  }

  resize(width: number, height: number): void {
    this.camera.aspect = width / Math.max(1, height);
    this.camera.updateProjectionMatrix();
    this.still = false;
  }

  // True while it moves.
  update(elapsed: number): boolean {
    if (this.still) return false;
    const s = 1 - Math.exp(-kSoft * elapsed);
    const { wanted, now } = this;
    now.azimuth += s * (wanted.azimuth - now.azimuth);
    now.polar += s * (wanted.polar - now.polar);
    now.distance *= Math.pow(wanted.distance / now.distance, s);
    now.target.lerp(wanted.target, s);
    this.still =
      Math.abs(wanted.azimuth - now.azimuth) + Math.abs(wanted.polar - now.polar) < 1e-4 &&
      Math.abs(wanted.distance / now.distance - 1) < 1e-4 &&
      wanted.target.distanceTo(now.target) < 1e-4 * now.distance;
    if (this.still) this.jump();
    this.place();
    return true;
  }

  get moves(): boolean {
    return !this.still;
  }

  get target(): THREE.Vector3 {
    return this.now.target;
  }

  get distance(): number {
    return this.now.distance;
  }

  private jump(): void {
    Object.assign(this.now, { ...this.wanted, target: this.wanted.target.clone() });
    this.place();
  }

  private place(): void {
    const { azimuth, polar, distance, target } = this.now;
    const offset = new THREE.Vector3().setFromSphericalCoords(distance, polar, azimuth).applyQuaternion(this.basis);
    this.camera.position.copy(target).add(offset);
    this.camera.lookAt(target);
    this.camera.near = distance / 200;
    this.camera.far = 200 * distance;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.camera.updateMatrix();
  }
}
