import * as THREE from 'three';
import type { Joint } from '../protocol/messages';
import type { Handle } from './handles';
import type { Label } from './icon_glyphs';
import { poseToMatrix } from './mechanism';
import type { Palette } from './palette';

// The range of the selected hinge or slider: an arc or a bar with a needle, and a handle on each limit, or near the end of
// the arc where there is none yet.

const kOpenEnd = 0.95; // of the open arc: the two ends of a whole turn would be one

export class LimitArc {
  readonly root = new THREE.Group();
  private frame = new THREE.Matrix4();
  private joint: Joint | null = null;
  private radius = 1;
  private held: { joint: string; role: 'lower' | 'upper'; value: number } | null = null;

  update(joint: Joint | null, matrix: (body: number) => THREE.Matrix4, extent: number, palette: Palette): void {
    for (const part of this.root.children) (part as THREE.Line).geometry.dispose();
    this.root.clear();
    this.joint = joint && joint.dofs.length === 1 && ['revolute', 'prismatic'].includes(joint.type) ? joint : null;
    if (!this.joint) return;
    this.radius = 0.1 * extent;
    this.frame.copy(matrix(this.joint.parent)).multiply(poseToMatrix(this.joint.frame));
    const q = this.coordinate(matrix);
    this.addLine([this.place(q, 0), this.place(q, 1.15)], palette.selection);
    const { lower, upper } = this.limits();
    const [from, to] = [lower ?? -this.open(), upper ?? this.open()];
    const points = Array.from({ length: 65 }, (_, i) => this.place(from + ((to - from) * i) / 64, 1));
    this.addLine(points, lower === null && upper === null ? palette.hover : palette.joint);
    for (const limit of [lower, upper])
      if (limit !== null) this.addLine([this.place(limit, 0.85), this.place(limit, 1.15)], palette.joint);
  }

  handles(): Handle[] {
    const joint = this.joint;
    if (!joint) return [];
    const { lower, upper } = this.limits();
    const handle = (role: 'lower' | 'upper', value: number): Handle => ({
      owner: joint.name,
      role,
      at: this.place(value, 1),
      release: () => (this.held = null),
      follow: (p) => {
        const limit = Number(this.nearest(p, value).toPrecision(4));
        this.held = { joint: joint.name, role, value: limit };
        return { args: { joint: joint.name, dof: 0, [role]: limit } };
      },
    });
    const end = kOpenEnd * this.open();
    return [handle('lower', lower ?? -end), handle('upper', upper ?? end)];
  }

  // Of the limit that is held.
  labels(): Label[] {
    const { joint, held } = this;
    if (!joint || held?.joint !== joint.name) return [];
    const text = joint.type === 'prismatic' ? `${held.value} m` : `${held.value} rad = ${((held.value * 180) / Math.PI).toFixed(1)}°`;
    return [{ at: this.place(held.value, 1), text: `${held.role} limit ${text}`, tone: 'limit' }];
  }

  private limits(): { lower: number | null; upper: number | null } {
    const { lower, upper } = this.joint!.dofs[0]!;
    return this.held?.joint === this.joint!.name ? { lower, upper, [this.held.role]: this.held.value } : { lower, upper };
  }

  private open(): number {
    return this.joint!.type === 'revolute' ? Math.PI : 2 * this.radius;
  }

  // Where coordinate q lies on the arc (or beside the axis), r times its radius from the joint.
  private place(q: number, r: number): THREE.Vector3 {
    const local = this.joint!.type === 'revolute'
      ? new THREE.Vector3(r * this.radius * Math.cos(q), r * this.radius * Math.sin(q), 0)
      : new THREE.Vector3(0.3 * r * this.radius, 0, q);
    return local.applyMatrix4(this.frame);
  }

  private nearest(p: THREE.Vector3, before: number): number {
    const local = p.clone().applyMatrix4(this.frame.clone().invert());
    if (this.joint!.type === 'prismatic') return local.z;
    const angle = Math.atan2(local.y, local.x);
    return angle + 2 * Math.PI * Math.round((before - angle) / (2 * Math.PI)); // keeps the turns
  }

  private coordinate(matrix: (body: number) => THREE.Matrix4): number {
    const joint = this.joint!;
    const child = matrix(joint.child).clone().multiply(poseToMatrix(joint.frame_in_child));
    const relative = this.frame.clone().invert().multiply(child).elements;
    return joint.type === 'prismatic' ? relative[14]! : Math.atan2(relative[1]!, relative[0]!);
  }

  private addLine(points: THREE.Vector3[], color: number): void {
    const material = new THREE.LineBasicMaterial({ color, depthTest: false, transparent: true });
    const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), material);
    line.renderOrder = 4;
    this.root.add(line);
  }
}
