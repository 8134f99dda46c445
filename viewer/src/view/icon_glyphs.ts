import * as THREE from 'three';
import type { Icon, Vec3 } from '../protocol/messages';
import { Arrows } from './arrows';
import { lengthOf, magnitudeOf, type ArrowScale } from './arrow_scale';
import type { Handle, HandleResult } from './handles';
import type { Palette } from './palette';

// Force, torque and motion icons (first paper, 5.1): an arrow whose head (push) or tail (pull) sits on the body, an arc
// arrow about the torque's axis whose radius tells its size, a sphere at the joint of a motion.

const kArc = 1.6 * Math.PI; // of the torque's arrow
const kZ = new THREE.Vector3(0, 0, 1);

interface Placed {
  icon: Icon;
  at: THREE.Vector3;
  vector: THREE.Vector3; // world [N] or [N m]
  rotation: THREE.Quaternion; // of the body
}

export interface Label {
  at: THREE.Vector3;
  text: string;
  tone: string;
}

export class IconGlyphs {
  readonly root = new THREE.Group();
  readonly right = new THREE.Vector3(1, 0, 0); // of the picture: a motion is pulled this way for more
  private arrows = new Arrows(256, 0.01, true);
  private arcs = new THREE.Group();
  private placed: Placed[] = [];
  private scale: ArrowScale = { force: 1, length: 1 };
  private torqueScale: ArrowScale = { force: 1, length: 1 };

  constructor() {
    this.root.add(this.arrows.root, this.arcs);
  }

  update(
    icons: Icon[],
    scale: ArrowScale,
    matrix: (body: string) => THREE.Matrix4 | null,
    jointPlace: (joint: string) => THREE.Matrix4 | null,
    palette: Palette,
    selected: string | null,
  ): void {
    this.scale = scale;
    // A torque is as large as the reference force on an arm of twice the arrow's unit.
    this.torqueScale = { force: 2 * scale.force * scale.length, length: 0.6 * scale.length };
    this.placed = icons.flatMap((icon) => {
      const frame = icon.kind === 'motion' ? jointPlace(icon.joint ?? '') : matrix(icon.body ?? '');
      return frame ? [placeIcon(icon, frame)] : [];
    });
    this.clearArcs();
    this.arrows.begin(0.05 * scale.length);
    for (const placed of this.placed) this.draw(placed, palette, placed.icon.name === selected);
    this.arrows.end();
  }

  // With what acts now, by name, where the law or the time makes it something else: [N], [N m], [rad/s], [rad], [m/s] or [m].
  labels(acting: Map<string, number>, unitOf: (icon: Icon) => string): Label[] {
    return this.placed.map(({ icon, at, vector }) => {
      const size = icon.kind === 'motion' ? (icon.value ?? 0) : vector.length();
      const now = acting.get(icon.name) ?? size;
      const value = Math.abs(now - size) > 5e-3 * Math.abs(size) ? `${now === 0 ? '0' : now.toPrecision(3)} of ${size.toPrecision(3)}` : size.toPrecision(3);
      return { at: this.freeEnd(icon, at, vector), text: `${icon.name} ${value} ${unitOf(icon)}`, tone: icon.kind };
    });
  }

  // Of the force, torque, or motion with a positive value.
  directionOf(name: string): THREE.Vector3 | null {
    const placed = this.placed.find(({ icon }) => icon.name === name);
    if (!placed) return null;
    return placed.icon.kind === 'motion' ? kZ.clone().applyQuaternion(placed.rotation) : placed.vector.clone().normalize();
  }

  handles(): Handle[] {
    return this.placed.flatMap((placed) => {
      const { icon, at, vector } = placed;
      const end = this.freeEnd(icon, at, vector);
      if (icon.kind === 'force')
        return [{ owner: icon.name, role: 'tip', at: end, follow: (p: THREE.Vector3) => this.pullForce(placed, p) }];
      if (icon.kind === 'torque')
        return [
          { owner: icon.name, role: 'axis', at: end, follow: (p: THREE.Vector3) => this.turnTorque(placed, p) },
          { owner: icon.name, role: 'radius', at: this.arcPoint(placed, 0), follow: (p: THREE.Vector3) => this.pullRadius(placed, p) },
        ];
      return [{ owner: icon.name, role: 'motion', at: end, follow: (p: THREE.Vector3) => this.pullMotion(placed, p) }];
    });
  }

  // The vector of a force that is drawn between a point and another one.
  forceBetween(at: THREE.Vector3, end: THREE.Vector3, style: 'push' | 'pull'): THREE.Vector3 {
    const along = style === 'push' ? at.clone().sub(end) : end.clone().sub(at);
    const length = along.length();
    return length > 0 ? along.multiplyScalar(magnitudeOf(this.scale, length) / length) : along;
  }

  private freeEnd(icon: Icon, at: THREE.Vector3, vector: THREE.Vector3): THREE.Vector3 {
    if (icon.kind === 'motion') return at.clone();
    const size = vector.length() || 1;
    if (icon.kind === 'torque') return at.clone().addScaledVector(vector, (1.1 * this.scale.length) / size);
    const sign = icon.style === 'pull' ? 1 : -1;
    return at.clone().addScaledVector(vector, (sign * lengthOf(this.scale, size)) / size);
  }

  private pullForce(placed: Placed, end: THREE.Vector3): HandleResult {
    const vector = this.forceBetween(placed.at, end, placed.icon.style === 'pull' ? 'pull' : 'push');
    return this.result(placed, vector, 'force');
  }

  private turnTorque(placed: Placed, end: THREE.Vector3): HandleResult {
    const axis = end.clone().sub(placed.at).normalize();
    return this.result(placed, axis.multiplyScalar(placed.vector.length()), 'torque');
  }

  private pullRadius(placed: Placed, p: THREE.Vector3): HandleResult {
    const axis = placed.vector.clone().normalize();
    const arm = p.clone().sub(placed.at);
    arm.addScaledVector(axis, -arm.dot(axis));
    const size = magnitudeOf(this.torqueScale, Math.max(1e-3 * this.torqueScale.length, arm.length()));
    return this.result(placed, axis.multiplyScalar(size), 'torque');
  }

  private pullMotion(placed: Placed, p: THREE.Vector3): HandleResult {
    const value = p.clone().sub(placed.at).dot(this.right) / this.scale.length + (placed.icon.value ?? 0);
    const rounded = Number(value.toPrecision(3));
    return { icon: { ...placed.icon, value: rounded }, args: { name: placed.icon.name, value: rounded } };
  }

  private result(placed: Placed, world: THREE.Vector3, argument: 'force' | 'torque'): HandleResult {
    const inFrame = placed.icon.frame === 'body' ? world.applyQuaternion(placed.rotation.clone().invert()) : world;
    const vector = inFrame.toArray().map((x) => Number(x.toPrecision(4))) as Vec3;
    return { icon: { ...placed.icon, vector }, args: { name: placed.icon.name, [argument]: vector } };
  }

  private arcPoint(placed: Placed, angle: number): THREE.Vector3 {
    const radius = this.arcRadius(placed.vector);
    const q = new THREE.Quaternion().setFromUnitVectors(kZ, placed.vector.clone().normalize());
    return new THREE.Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0).applyQuaternion(q).add(placed.at);
  }

  private arcRadius(vector: THREE.Vector3): number {
    return Math.max(0.25 * this.scale.length, lengthOf(this.torqueScale, vector.length()));
  }

  private draw(placed: Placed, palette: Palette, selected: boolean): void {
    const { icon, at, vector } = placed;
    const color = new THREE.Color(selected ? palette.selection : palette[icon.kind]);
    if (icon.kind === 'force') {
      const along = vector.clone().multiplyScalar(lengthOf(this.scale, vector.length()) / (vector.length() || 1));
      this.arrows.add(icon.style === 'pull' ? at : at.clone().sub(along), along, color);
    } else if (icon.kind === 'torque') {
      this.drawArc(placed, color);
    } else {
      this.addMesh(new THREE.SphereGeometry(0.2 * this.scale.length, 20, 14), color).position.copy(at);
    }
  }

  private drawArc(placed: Placed, color: THREE.Color): void {
    const radius = this.arcRadius(placed.vector);
    const thick = 0.05 * this.scale.length;
    const q = new THREE.Quaternion().setFromUnitVectors(kZ, placed.vector.clone().normalize());
    const arc = this.addMesh(new THREE.TorusGeometry(radius, thick, 8, 48, kArc), color);
    arc.position.copy(placed.at);
    arc.quaternion.copy(q);
    const tangent = new THREE.Vector3(-Math.sin(kArc), Math.cos(kArc), 0).applyQuaternion(q);
    const head = this.addMesh(new THREE.ConeGeometry(2.6 * thick, 6 * thick, 14), color);
    head.position.copy(this.arcPoint(placed, kArc)).addScaledVector(tangent, 2 * thick);
    head.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), tangent);
    const axis = placed.vector.clone().normalize().multiplyScalar(1.1 * this.scale.length);
    this.arrows.add(placed.at, axis, color.clone().multiplyScalar(0.7));
  }

  private addMesh(geometry: THREE.BufferGeometry, color: THREE.Color): THREE.Mesh {
    const material = new THREE.MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.92 });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = 5;
    this.arcs.add(mesh);
    return mesh;
  }

  private clearArcs(): void {
    for (const mesh of this.arcs.children as THREE.Mesh[]) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
    this.arcs.clear();
  }
}

function placeIcon(icon: Icon, frame: THREE.Matrix4): Placed {
  const rotation = new THREE.Quaternion().setFromRotationMatrix(frame);
  const at = new THREE.Vector3(...(icon.kind === 'motion' ? [0, 0, 0] : (icon.point ?? [0, 0, 0]))).applyMatrix4(frame);
  const vector = new THREE.Vector3(...(icon.vector ?? [0, 0, 0]));
  if (icon.frame === 'body') vector.applyQuaternion(rotation);
  return { icon, at, vector, rotation };
}
