import { effect, untracked } from '@preact/signals';
import * as THREE from 'three';
import {
  command, hovered, isDriver, isPlaying, model, notify, select, selection, tool, toolHint, type Item,
} from '../state/store';
import { hintSeen, show } from '../state/preferences';
import type { Icon, Vec3 } from '../protocol/messages';
import { kWorld, type Picked } from './bodies';
import { magnitudeOf } from './arrow_scale';
import type { Handle } from './handles';
import { Drag } from './drag';
import type { Anchor, Viewport } from './viewport';

// What the mouse does in the picture. Left: take hold of a body, or orbit beside them; shift or middle: pan; right:
// orbit; wheel: zoom. With a tool chosen, clicks and pulls make forces, torques, motions, joints and measurements.

const kClickPixels = 4;
const kHandlePixels = 11;
const kJointPixels = 10;
const kNearPixels = 6;

interface Gesture {
  move(x: number, y: number): void;
  end(x: number, y: number, clicked: boolean): void;
  cancel?(): void;
}

export const newJointType = { value: 'revolute' };

export class Gestures {
  private gesture: Gesture | null = null;
  private start = { x: 0, y: 0 };
  private moved = false;
  private firstPick: Picked | null = null;
  private firstAnchor: Anchor | null = null;
  private lastHover = 0;

  constructor(private view: Viewport) {
    const { canvas } = view;
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    canvas.addEventListener('pointermove', (event) => this.motion(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => this.cancel());
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    canvas.addEventListener('dblclick', (event) => this.centre(event));
    canvas.addEventListener('pointerleave', () => (hovered.value = null));
    effect(() => {
      void tool.value;
      untracked(() => this.forgetPick()); // the first of two clicks was for another tool
    });
  }

  cancel(): void {
    this.gesture?.cancel?.();
    this.gesture = null;
    this.view.held = false;
    this.forgetPick();
    this.view.preview = null;
    this.view.invalidate();
  }

  private forgetPick(): void {
    if (this.firstPick) toolHint.value = '';
    this.firstPick = null;
  }

  // A part by its name, as if it were clicked: a body by its centre of mass, the scene for the world. True where it fits.
  choose(item: Item): boolean {
    const picked = this.pickedOf(item);
    if (!picked || (tool.value === 'joint' && !isDriver.value)) return false;
    if (tool.value === 'joint') this.pickForJoint(picked);
    else this.pickForMeasure(picked);
    this.view.invalidate();
    return true;
  }

  private pickedOf({ kind, name }: Item): Picked | null {
    const m = model.value!;
    const at = (body: number, p: Vec3): Picked =>
      ({ body, point: new THREE.Vector3(...p).applyMatrix4(this.view.bodies.matrix(body)), normal: new THREE.Vector3() });
    const body = kind === 'body' ? m.bodies.findIndex((b) => b.name === name) : -1;
    if (body >= 0) return at(body, m.bodies[body]!.com);
    const point = kind === 'point' ? m.points.find((p) => p.name === name) : undefined;
    if (point) return point.body === kWorld ? { body: kWorld, point: new THREE.Vector3(...point.p), normal: new THREE.Vector3() } : at(point.body, point.p);
    return kind === 'scene' ? { body: kWorld, point: this.firstPick?.point.clone() ?? new THREE.Vector3(), normal: new THREE.Vector3() } : null;
  }

  private place(event: MouseEvent): { x: number; y: number } {
    const box = this.view.canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent): void {
    if (this.gesture) return;
    this.view.canvas.focus();
    this.view.canvas.setPointerCapture(event.pointerId);
    this.start = this.place(event);
    this.moved = false;
    this.view.held = true;
    const { x, y } = this.start;
    if (event.button === 1 || (event.button === 0 && event.shiftKey)) this.gesture = this.pan(x, y);
    else if (event.button === 2) this.gesture = this.orbit(x, y);
    else this.gesture = this.leftGesture(x, y);
  }

  private motion(event: PointerEvent): void {
    const { x, y } = this.place(event);
    if (!this.gesture) return this.hover(x, y);
    if (Math.hypot(x - this.start.x, y - this.start.y) > kClickPixels) this.moved = true;
    if (this.moved) this.gesture.move(x, y);
    this.view.invalidate();
  }

  private up(event: PointerEvent): void {
    const gesture = this.gesture;
    this.gesture = null;
    this.view.held = false;
    const { x, y } = this.place(event);
    gesture?.end(x, y, !this.moved);
    this.view.invalidate();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.view.camera.zoom(Math.exp(0.0012 * event.deltaY));
    this.view.touched();
  }

  private centre(event: MouseEvent): void {
    const { x, y } = this.place(event);
    const hit = this.pick(x, y);
    if (hit) this.view.camera.centre(hit.point);
  }

  private hover(x: number, y: number): void {
    const now = performance.now();
    if (now - this.lastHover < 60) return;
    this.lastHover = now;
    const hit = this.pick(x, y);
    const name = hit && hit.body !== kWorld ? model.value?.bodies[hit.body]?.name : undefined;
    if (hovered.value?.name !== name) hovered.value = name === undefined ? null : { kind: 'body', name };
    const onHandle = this.handleAt(x, y) !== null;
    this.view.canvas.style.cursor = onHandle ? 'move' : tool.value !== 'drag' ? 'crosshair' : name !== undefined ? 'grab' : 'default';
  }

  private leftGesture(x: number, y: number): Gesture {
    const handle = this.handleAt(x, y);
    if (handle) return this.holdHandle(handle, x, y);
    const hit = this.pick(x, y);
    if (tool.value === 'motion') return this.clickOnly(x, y, () => this.addMotion(x, y));
    if (tool.value === 'joint') return this.clickOnly(x, y, () => this.pickForJoint(hit));
    if (tool.value === 'measure') return this.clickOnly(x, y, () => this.pickForMeasure(hit));
    if (!hit || hit.body === kWorld) return this.orbit(x, y, () => this.selectAt(x, y, null));
    return tool.value === 'drag' ? this.holdBody(hit, x, y) : this.pullIcon(hit, tool.value);
  }

  // What lies under the pixel, or else close beside it: thin bars that move are hard to hit.
  private pick(x: number, y: number): Picked | null {
    const hit = this.view.bodies.pick(this.view.ray(x, y));
    if (hit && hit.body !== kWorld) return hit;
    for (let k = 0; k < 8; ++k) {
      const angle = (k * Math.PI) / 4;
      const near = this.view.bodies.pick(this.view.ray(x + kNearPixels * Math.cos(angle), y + kNearPixels * Math.sin(angle)));
      if (near && near.body !== kWorld) return near;
    }
    return hit;
  }

  private handleAt(x: number, y: number): Handle | null {
    let best: Handle | null = null;
    let nearest = kHandlePixels;
    for (const handle of this.view.handles) {
      const at = this.view.toScreen(handle.at);
      const distance = Math.hypot(at.x - x, at.y - y);
      if (distance < nearest) [best, nearest] = [handle, distance];
    }
    return best;
  }

  private orbit(x: number, y: number, click?: () => void): Gesture {
    return {
      move: (nx, ny) => {
        this.view.touched();
        this.view.camera.rotate(0.006 * (nx - x), 0.006 * (ny - y));
        [x, y] = [nx, ny];
      },
      end: (_x, _y, clicked) => clicked && click?.(),
    };
  }

  private pan(x: number, y: number): Gesture {
    return {
      move: (nx, ny) => {
        this.view.touched();
        const height = this.view.canvas.clientHeight;
        this.view.camera.pan(-(nx - x) / height, (ny - y) / height);
        [x, y] = [nx, ny];
      },
      end: () => undefined,
    };
  }

  private clickOnly(x: number, y: number, click: () => void): Gesture {
    return this.orbit(x, y, click);
  }

  private selectAt(x: number, y: number, hit: Picked | null): void {
    const joint = show.joints.value ? this.view.mechanism.pick((p) => this.view.toScreen(p), x, y, kJointPixels) : null;
    if (joint) select({ kind: 'joint', name: joint });
    else if (hit && hit.body !== kWorld) select({ kind: 'body', name: model.value!.bodies[hit.body]!.name });
    else select(null);
  }

  // Where the ray through a pixel meets the plane through p that faces the camera.
  private onPlane(p: THREE.Vector3, x: number, y: number): THREE.Vector3 {
    const normal = this.view.camera.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, p);
    return this.view.ray(x, y).ray.intersectPlane(plane, new THREE.Vector3()) ?? p.clone();
  }

  // A point that goes along with its body.
  private anchor(hit: Picked): Anchor {
    if (hit.body === kWorld) return { body: 'world', p: hit.point.toArray() };
    return { body: model.value!.bodies[hit.body]!.name, p: this.local(hit) };
  }

  private local(hit: Picked): Vec3 {
    return rounded(hit.point.clone().applyMatrix4(this.view.bodies.matrix(hit.body).clone().invert()));
  }

  private holdBody(hit: Picked, x: number, y: number): Gesture {
    const body = model.value!.bodies[hit.body]!.name;
    const point = this.local(hit);
    let drag: Drag | null = null;
    return {
      move: (nx, ny) => {
        if (!isDriver.value) return;
        select({ kind: 'body', name: body });
        drag ??= new Drag(body, point, isPlaying.value ? 'pull' : 'pose');
        drag.moveTo(this.onPlane(hit.point, nx, ny).toArray());
        hintSeen.value = true;
      },
      end: (_x, _y, clicked) => {
        drag?.end();
        if (clicked) this.selectAt(x, y, hit);
        else if (!isDriver.value) notify('you are watching: take the wheel to move things');
      },
      cancel: () => drag?.end(),
    };
  }

  // Pull from a point of a body: the arrow from there is the force, its end follows the mouse.
  private pullIcon(hit: Picked, kind: 'force' | 'torque' | string): Gesture {
    const body = model.value!.bodies[hit.body]!.name;
    const point = this.local(hit);
    const style: 'push' | 'pull' = 'pull';
    const name = '…';
    const make = (vector: THREE.Vector3): Icon => ({
      name, kind: kind as 'force' | 'torque', body, point, vector: rounded(vector), frame: 'world', style,
      law: { kind: 'constant' }, start: 0, duration: null,
    });
    let icon: Icon | null = null;
    return {
      move: (x, y) => {
        const end = this.onPlane(hit.point, x, y);
        const vector = kind === 'force' ? this.view.glyphs.forceBetween(hit.point, end, style) : this.torqueFor(hit, end);
        this.view.preview = icon = make(vector);
      },
      end: (_x, _y, clicked) => {
        this.view.preview = null;
        if (clicked) icon = kind === 'force' ? { ...make(this.pushForce()), style: 'push' } : make(this.torqueFor(hit, null));
        if (icon) void addIcon(icon);
      },
      cancel: () => (this.view.preview = null),
    };
  }

  private pushForce(): THREE.Vector3 {
    const inward = this.view.camera.camera.getWorldDirection(new THREE.Vector3());
    return inward.multiplyScalar(magnitudeOf(this.view.scale, this.view.scale.length));
  }

  // About the axis of the body's joint where it has one that turns, else towards the eye; its size by the pull.
  private torqueFor(hit: Picked, end: THREE.Vector3 | null): THREE.Vector3 {
    const m = model.value!;
    const joint = m.joints.find((j) => j.child === hit.body && !j.closes_loop && j.freedoms.slice(0, 3).filter(Boolean).length === 1);
    const place = joint && this.view.mechanism.place(joint.name);
    const axis = place
      ? new THREE.Vector3().setFromMatrixColumn(place, 2).normalize()
      : this.view.camera.camera.getWorldDirection(new THREE.Vector3()).negate();
    const length = end ? Math.max(0.1 * this.view.scale.length, end.distanceTo(hit.point)) : this.view.scale.length;
    const sign = end && new THREE.Vector3().subVectors(end, hit.point).dot(this.rightOfScreen()) < 0 ? 1 : -1;
    return axis.multiplyScalar(sign * magnitudeOf(this.view.scale, length) * this.view.scale.length);
  }

  private rightOfScreen(): THREE.Vector3 {
    return new THREE.Vector3().setFromMatrixColumn(this.view.camera.camera.matrixWorld, 0);
  }

  private addMotion(x: number, y: number): void {
    const joint = this.view.mechanism.pick((p) => this.view.toScreen(p), x, y, 3 * kJointPixels);
    if (!joint) return notify('no joint here: click near a joint\'s mark');
    void command('apply_motion', { joint, motion: 'velocity', value: 1 }).then((answer) => {
      if (answer?.result?.name) select({ kind: 'icon', name: String(answer.result.name) });
    });
    tool.value = 'drag';
  }

  private pickForJoint(hit: Picked | null): void {
    if (!hit) return;
    if (!this.firstPick) {
      this.firstPick = hit;
      toolHint.value = 'now click the other body, at the point where the joint goes';
      return;
    }
    const name = (body: number) => (body === kWorld ? 'world' : model.value!.bodies[body]!.name);
    const axis = this.view.camera.camera.getWorldDirection(new THREE.Vector3()).negate();
    const args = { parent: name(this.firstPick.body), child: name(hit.body), type: newJointType.value, point: hit.point.toArray(), axis: rounded(axis) };
    this.forgetPick();
    tool.value = 'drag';
    void command('add_joint', args).then((answer) => {
      if (answer?.result?.name) select({ kind: 'joint', name: String(answer.result.name) });
    });
  }

  private pickForMeasure(hit: Picked | null): void {
    if (!hit) return;
    if (!this.firstPick) {
      this.firstPick = hit;
      this.firstAnchor = this.anchor(hit);
      toolHint.value = 'now click the second point';
      return;
    }
    this.view.measured.push({ a: this.firstAnchor!, b: this.anchor(hit) });
    this.forgetPick();
  }

  private holdHandle(handle: Handle, x: number, y: number): Gesture {
    const isIcon = handle.role !== 'lower' && handle.role !== 'upper';
    const from = this.onPlane(handle.at, x, y);
    let args: Record<string, unknown> | null = null;
    return {
      move: (nx, ny) => {
        const p = handle.at.clone().add(this.onPlane(handle.at, nx, ny).sub(from));
        const result = handle.follow(p);
        args = result.args;
        this.view.preview = result.icon ?? null;
      },
      end: (_x, _y, clicked) => {
        if (isIcon && clicked) select({ kind: 'icon', name: handle.owner });
        if (!args) return;
        void command(isIcon ? 'edit_icon' : 'set_limits', args).then(() => {
          this.view.preview = null;
          handle.release?.();
          this.view.invalidate();
        });
      },
      cancel: () => {
        this.view.preview = null;
        handle.release?.();
      },
    };
  }
}

function rounded(v: THREE.Vector3): Vec3 {
  return v.toArray().map((x) => (Math.abs(x) < 1e-9 ? 0 : Number(x.toPrecision(4)))) as Vec3;
}

async function addIcon(icon: Icon): Promise<void> {
  const args: Record<string, unknown> = { body: icon.body, point: icon.point, [icon.kind]: icon.vector };
  if (icon.kind === 'force') args.style = icon.style;
  const answer = await command(icon.kind === 'force' ? 'apply_force' : 'apply_torque', args);
  tool.value = 'drag';
  if (answer?.result?.name) select({ kind: 'icon', name: String(answer.result.name) });
}

// The keyboard's way to take hold of the selected body: arrows move the hand in the picture's plane.
export class KeyboardGrab {
  private drag: Drag | null = null;
  private target = new THREE.Vector3();

  constructor(private view: Viewport) {}

  get active(): boolean {
    return this.drag !== null;
  }

  begin(): void {
    const item = selection.value;
    const m = model.value;
    const body = item?.kind === 'body' ? m?.bodies.find((b) => b.name === item.name) : undefined;
    if (!body || this.drag) return;
    const matrix = this.view.bodyMatrix(body.name)!;
    this.target.set(...body.com).applyMatrix4(matrix);
    this.drag = new Drag(body.name, body.com, isPlaying.value ? 'pull' : 'pose');
    this.drag.moveTo(this.target.toArray());
    toolHint.value = `holding ${body.name}: arrows move it, Enter or Escape lets go`;
  }

  move(right: number, up: number): void {
    if (!this.drag) return;
    const step = 0.02 * (model.value?.extent ?? 1);
    const world = this.view.camera.camera.matrixWorld;
    this.target.addScaledVector(new THREE.Vector3().setFromMatrixColumn(world, 0), right * step);
    this.target.addScaledVector(new THREE.Vector3().setFromMatrixColumn(world, 1), up * step);
    this.drag.moveTo(this.target.toArray());
  }

  end(): void {
    this.drag?.end();
    this.drag = null;
    toolHint.value = '';
  }
}

