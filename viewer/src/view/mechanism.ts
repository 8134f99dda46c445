import * as THREE from 'three';
import type { Attachment, Joint, Model, Pose } from '../protocol/messages';
import type { Palette } from './palette';

// Joint axes, body frames, springs and rods: thin lines drawn over the bodies.

export function poseToMatrix(pose: Pose): THREE.Matrix4 {
  const [w, x, y, z] = pose.q;
  return new THREE.Matrix4().compose(new THREE.Vector3(...pose.p), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
}

interface JointMark {
  joint: Joint;
  group: THREE.Group;
  frame: THREE.Matrix4;
}

type MatrixOf = (body: number) => THREE.Matrix4;

export class Mechanism {
  readonly joints = new THREE.Group();
  readonly frames = new THREE.Group();
  readonly springs = new THREE.Group();
  private marks: JointMark[] = [];
  private axes: THREE.AxesHelper[] = [];
  private lines: { line: THREE.Line; a: Attachment; b: Attachment; coils: boolean }[] = [];
  private size = 1;

  build(model: Model, palette: Palette): void {
    for (const group of [this.joints, this.frames, this.springs]) disposeChildren(group);
    this.size = 0.045 * model.extent;
    const few = model.joints.filter((joint) => joint.type !== 'free').length <= 200;
    this.marks = model.joints
      .filter((joint) => joint.type !== 'free' && few)
      .map((joint) => ({ joint, group: jointMark(joint, this.size, palette), frame: poseToMatrix(joint.frame) }));
    for (const mark of this.marks) this.joints.add(mark.group);
    this.axes = model.bodies.slice(0, 300).map(() => new THREE.AxesHelper(1.6 * this.size));
    for (const axes of this.axes) {
      axes.matrixAutoUpdate = false;
      (axes.material as THREE.Material).depthTest = false;
      axes.renderOrder = 3;
      this.frames.add(axes);
    }
    this.lines = [
      ...model.springs.map((s) => ({ a: s.a, b: s.b, coils: true })),
      ...model.distances.map((d) => ({ a: d.a, b: d.b, coils: false })),
    ].map((part) => ({ ...part, line: springLine(palette.spring) }));
    for (const { line } of this.lines) this.springs.add(line);
  }

  update(matrix: MatrixOf): void {
    for (const { joint, group, frame } of this.marks) {
      group.matrix.multiplyMatrices(matrix(joint.parent), frame);
      group.matrixWorldNeedsUpdate = true;
    }
    if (this.frames.visible) this.axes.forEach((axes, b) => (axes.matrix.copy(matrix(b)), (axes.matrixWorldNeedsUpdate = true)));
    for (const { line, a, b, coils } of this.lines) {
      const from = new THREE.Vector3(...a.p).applyMatrix4(matrix(a.body));
      const to = new THREE.Vector3(...b.p).applyMatrix4(matrix(b.body));
      layCoils(line, from, to, coils ? 0.25 * this.size : 0);
    }
  }

  // The joint whose mark is nearest to a point of the picture; distance in pixels.
  pick(toScreen: (p: THREE.Vector3) => THREE.Vector3, x: number, y: number, within: number): string | null {
    let best: string | null = null;
    let nearest = within;
    const at = new THREE.Vector3();
    for (const { joint, group } of this.marks) {
      const screen = toScreen(at.setFromMatrixPosition(group.matrix));
      const distance = Math.hypot(screen.x - x, screen.y - y);
      if (screen.z < 1 && distance < nearest) [best, nearest] = [joint.name, distance];
    }
    return best;
  }

  highlight(name: string | null, palette: Palette): void {
    for (const { joint, group } of this.marks)
      group.traverse((part) => {
        const material = (part as THREE.Mesh).material as THREE.MeshBasicMaterial | undefined;
        if (material?.color) material.color.set(joint.name === name ? palette.selection : palette.joint);
      });
  }

  place(name: string): THREE.Matrix4 | null {
    return this.marks.find((mark) => mark.joint.name === name)?.group.matrix ?? null;
  }
}

function disposeChildren(group: THREE.Group): void {
  group.traverse((part) => (part as THREE.Mesh).geometry?.dispose());
  group.clear();
}

// A ring and an axis for rotations, a double arrow for translations, a ball for three rotations.
function jointMark(joint: Joint, size: number, palette: Palette): THREE.Group {
  const group = new THREE.Group();
  group.matrixAutoUpdate = false;
  const material = new THREE.MeshBasicMaterial({ color: palette.joint, depthTest: false, transparent: true, opacity: 0.9 });
  const add = (geometry: THREE.BufferGeometry) => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.renderOrder = 3;
    group.add(mesh);
  };
  const along = (geometry: THREE.BufferGeometry, axis: number) =>
    axis === 2 ? geometry : axis === 0 ? geometry.rotateY(Math.PI / 2) : geometry.rotateX(-Math.PI / 2);
  const rotations = joint.freedoms.slice(0, 3).filter(Boolean).length;
  const thin = 0.035 * size;
  if (rotations === 3) add(new THREE.SphereGeometry(0.22 * size, 16, 12));
  for (let axis = 0; axis < 3; ++axis) {
    if (joint.freedoms[axis] && rotations < 3) {
      add(along(new THREE.TorusGeometry(0.3 * size, thin, 8, 28), axis));
      add(along(new THREE.CylinderGeometry(thin, thin, 1.2 * size, 6).rotateX(Math.PI / 2), axis));
    }
    if (joint.freedoms[axis + 3]) {
      add(along(new THREE.CylinderGeometry(thin, thin, 1.6 * size, 6).rotateX(Math.PI / 2), axis));
      add(along(new THREE.ConeGeometry(0.12 * size, 0.3 * size, 12).rotateX(Math.PI / 2).translate(0, 0, 0.9 * size), axis));
      add(along(new THREE.ConeGeometry(0.12 * size, 0.3 * size, 12).rotateX(-Math.PI / 2).translate(0, 0, -0.9 * size), axis));
    }
  }
  if (joint.freedoms.every((free) => !free)) add(new THREE.BoxGeometry(0.3 * size, 0.3 * size, 0.3 * size));
  return group;
}

const kCoils = 10;
const kPointsPerCoil = 8;
const kSpringPoints = kCoils * kPointsPerCoil + 3;

function springLine(color: number): THREE.Line {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * kSpringPoints), 3));
  const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color }));
  line.frustumCulled = false;
  return line;
}

function layCoils(line: THREE.Line, from: THREE.Vector3, to: THREE.Vector3, radius: number): void {
  const along = to.clone().sub(from);
  const x = new THREE.Vector3(1, 0, 0).cross(along);
  if (x.lengthSq() < 1e-12) x.set(0, 1, 0).cross(along);
  x.normalize();
  const y = along.clone().normalize().cross(x);
  const positions = line.geometry.attributes.position as THREE.BufferAttribute;
  const at = new THREE.Vector3();
  for (let i = 0; i < kSpringPoints; ++i) {
    const s = i / (kSpringPoints - 1);
    const inside = s > 0.1 && s < 0.9 ? radius : 0;
    const angle = (2 * Math.PI * i) / kPointsPerCoil;
    at.copy(from).addScaledVector(along, s).addScaledVector(x, inside * Math.cos(angle)).addScaledVector(y, inside * Math.sin(angle));
    positions.setXYZ(i, at.x, at.y, at.z);
  }
  positions.needsUpdate = true;
}
