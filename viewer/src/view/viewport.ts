import { effect } from '@preact/signals';
import * as THREE from 'three';
import type { Icon, Joint, Model, Vec3 } from '../protocol/messages';
import { FrameFlag, showsTheSame, type Frame } from '../protocol/frame';
import { followed, hovered, icons, interpolator, model, onFrame, selection } from '../state/store';
import { isBare, isFilm, show, theme } from '../state/preferences';
import { tracedPoints } from '../state/traced';
import { arrowScale, lengthOf, type ArrowScale } from './arrow_scale';
import { Arrows } from './arrows';
import { Bodies, kWorld } from './bodies';
import { OrbitCamera } from './camera';
import { Contacts } from './contacts';
import { Ground } from './ground';
import { HandleMarks, type Handle } from './handles';
import { IconGlyphs, type Label } from './icon_glyphs';
import { Labels } from './labels';
import { LimitArc } from './limit_arc';
import { Mechanism } from './mechanism';
import { Tendons } from './tendons';
import { Outline } from './outline';
import { palettes, type Palette } from './palette';
import { Traces } from './traces';

// The picture: puts the parts together and draws when something has changed.

const kSoftwareInterval = 0.05; // between pictures where there is no graphics processor [s]
const kLongestInterval = 0.5; // however long the last one took [s]

const kWidest = 3; // how far the opening view follows what moves, times the extent
const kFewBodies = 100;

export interface Anchor {
  body: string; // or 'world'
  p: Vec3; // in its frame
}

export class Viewport {
  readonly camera = new OrbitCamera();
  readonly bodies = new Bodies();
  readonly glyphs = new IconGlyphs();
  readonly mechanism = new Mechanism();
  readonly tendons = new Tendons();
  scale: ArrowScale = { force: 1, length: 1 };
  held = false; // by a hand: the camera stays where it is
  drawsWhenAsked = false; // by picture() alone: a script steps the run and takes what it needs
  preview: Icon | null = null; // an icon while its handle is held
  measured: { a: Anchor; b: Anchor }[] = [];

  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private sky = new THREE.HemisphereLight(0xffffff, 0x444444, 1.5);
  private ground = new Ground();
  private contacts = new Contacts();
  private traces = new Traces();
  private drags = new Arrows(32, 0.006, true);
  private limitArc = new LimitArc();
  private marks = new HandleMarks();
  private outline = new Outline();
  private labels: Labels;
  private handleList: Handle[] = [];
  private built: { model: Model; name: string } | null = null;
  private dirty = true;
  private lastTime = 0;
  private measureLine = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false }));
  private raycaster = new THREE.Raycaster();
  private seen: THREE.Box3 | null = null; // where bodies have been, while the view is as it opened
  private framed = 0; // diagonal of what the view was opened for [m]
  private lastDraw = 0;
  private lastFrame: Frame | undefined;
  private drawing: WebGLSync | null = null;
  private drawTime = 0; // of the last picture [s]
  private readonly software = isSoftware();

  constructor(readonly canvas: HTMLCanvasElement, labelLayer: HTMLElement) {
    const { software } = this;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !software, powerPreference: 'high-performance', preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(software ? 1 : Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = software ? THREE.BasicShadowMap : isFilm ? THREE.PCFShadowMap : THREE.PCFSoftShadowMap;
    this.sun.shadow.mapSize.setScalar(software ? 512 : isFilm ? 1024 : 2048);
    this.labels = new Labels(labelLayer);
    this.scene.add(
      this.sky, this.sun, this.sun.target, this.ground.root, this.bodies.root, this.contacts.root, this.traces.root,
      this.drags.root, this.mechanism.joints, this.mechanism.frames, this.mechanism.springs, this.tendons.root, this.glyphs.root,
      this.limitArc.root, this.marks.root, this.measureLine,
    );
    this.measureLine.renderOrder = 6;
    this.measureLine.frustumCulled = false;
    this.watchState();
    onFrame((next) => {
      this.traces.append(next.t, next.poses);
      if (!isBare || !this.rebuild()) return;
      interpolator.advance(performance.now() / 1000); // pictures for reports do not depend on how fast they are drawn
      this.updateParts();
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    requestAnimationFrame((now) => this.tick(now / 1000));
  }

  // True when the latest state has been drawn and nothing moves.
  get isSettled(): boolean {
    return !this.dirty && this.drawing === null && this.lastFrame === interpolator.latest && !this.camera.moves;
  }

  invalidate(): void {
    this.dirty = true;
  }

  // Somebody has taken the camera.
  touched(): void {
    this.seen = null;
    this.dirty = true;
  }

  get palette(): Palette {
    return palettes[theme.value];
  }

  get handles(): Handle[] {
    return this.handleList;
  }

  // The ray through a pixel of the canvas.
  ray(x: number, y: number): THREE.Raycaster {
    const at = new THREE.Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    this.raycaster.setFromCamera(at, this.camera.camera);
    return this.raycaster;
  }

  toScreen(p: THREE.Vector3): THREE.Vector3 {
    const at = p.clone().project(this.camera.camera);
    return at.set(((at.x + 1) / 2) * this.canvas.clientWidth, ((1 - at.y) / 2) * this.canvas.clientHeight, at.z);
  }

  metresPerPixel(p: THREE.Vector3): number {
    const depth = p.clone().applyMatrix4(this.camera.camera.matrixWorldInverse).z;
    return (2 * -depth * Math.tan(THREE.MathUtils.degToRad(this.camera.camera.fov / 2))) / this.canvas.clientHeight;
  }

  bodyMatrix(name: string): THREE.Matrix4 | null {
    if (name === 'world') return new THREE.Matrix4();
    const b = model.value?.bodies.findIndex((body) => body.name === name) ?? -1;
    return b < 0 ? null : this.bodies.matrix(b);
  }

  // A body by its centre of mass, a joint by its frame.
  placeInWindow(kind: 'body' | 'joint', name: string): { x: number; y: number } | null {
    if (!this.built) return null;
    if (kind === 'joint') {
      const frame = this.mechanism.place(name);
      return frame && this.inWindow(new THREE.Vector3().setFromMatrixPosition(frame));
    }
    const body = model.value?.bodies.find((b) => b.name === name);
    const matrix = body && this.bodyMatrix(name);
    return body && matrix ? this.inWindow(new THREE.Vector3(...body.com).applyMatrix4(matrix)) : null;
  }

  handleInWindow(owner: string, role: string): { x: number; y: number } | null {
    const handle = this.handleList.find((h) => h.owner === owner && h.role === role);
    return handle ? this.inWindow(handle.at) : null;
  }

  private inWindow(p: THREE.Vector3): { x: number; y: number } {
    const at = this.toScreen(p);
    const box = this.canvas.getBoundingClientRect();
    return { x: at.x + box.left, y: at.y + box.top };
  }

  fit(jump = false): void {
    if (!model.value) return;
    this.camera.frame(this.bodies.bounds(), model.value.extent, jump);
    this.invalidate();
  }

  // All bodies, seen along a direction of the world; zoom: how many times farther away than fits.
  look(direction: Vec3, zoom: number): void {
    this.touched();
    this.camera.lookAlong(new THREE.Vector3(...direction), true);
    this.fit(true);
    this.camera.zoom(zoom);
  }

  // As it is now, at once.
  picture(type = 'image/png'): string {
    interpolator.advance(performance.now() / 1000);
    if (!this.rebuild()) return '';
    this.updateParts();
    this.camera.update(1);
    this.draw();
    return this.canvas.toDataURL(type, 0.92);
  }

  private watchState(): void {
    effect(() => {
      void [selection.value, hovered.value, icons.value, followed.value, tracedPoints.value];
      for (const option of Object.values(show)) void option.value;
      this.dirty = true;
    });
    effect(() => {
      void theme.value;
      this.applyTheme();
      this.built = null;
    });
  }

  private applyTheme(): void {
    const palette = palettes[theme.value];
    this.scene.background = new THREE.Color(palette.background);
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.earth);
    this.sky.intensity = theme.value === 'dark' ? 1.25 : 1.9;
    (this.measureLine.material as THREE.LineBasicMaterial).color.set(palette.selection);
    this.dirty = true;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.resize(clientWidth, clientHeight);
    this.dirty = true;
  }

  private tick(now: number): void {
    requestAnimationFrame((next) => this.tick(next / 1000));
    if (this.drawsWhenAsked || this.isBusy(now)) return;
    const elapsed = now - this.lastTime; // all of it: where pictures are rare, the camera arrives within few of them
    this.lastTime = now;
    const latest = interpolator.latest;
    const isNew = latest !== this.lastFrame && !(latest && this.lastFrame && showsTheSame(latest, this.lastFrame));
    const moved = (interpolator.advance(now) && isMoving()) || isNew;
    this.lastFrame = latest;
    if (!this.rebuild()) return;
    if (!moved && !this.dirty) {
      if (this.camera.update(elapsed)) this.draw();
      return;
    }
    this.dirty = false;
    this.updateParts();
    this.camera.update(elapsed);
    this.draw();
  }

  // True while the last picture is still being drawn: a slow machine draws fewer pictures, the page stays quick.
  private isBusy(now: number): boolean {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    if (this.drawing) {
      if (gl.clientWaitSync(this.drawing, 0, 0) === gl.TIMEOUT_EXPIRED && now - this.lastDraw < 1) return true;
      gl.deleteSync(this.drawing);
      this.drawing = null;
      this.drawTime = now - this.lastDraw;
    }
    return this.software && now - this.lastDraw < Math.max(kSoftwareInterval, Math.min(kLongestInterval, 2 * this.drawTime));
  }

  // Builds for a new model; false while frames and model do not belong together.
  private rebuild(): boolean {
    const m = model.value;
    const latest = interpolator.latest;
    if (!m || !latest || latest.poses.length !== 7 * m.bodies.length) return false;
    if (this.built?.model === m) return true;
    const first = this.built?.name !== m.name;
    this.built = { model: m, name: m.name };
    this.scale = arrowScale(m);
    // Where they are drawn, which may be seconds behind the latest frame: what is framed here is followed from here.
    const drawn = interpolator.poses.data.length === latest.poses.length ? interpolator.poses.data : latest.poses;
    this.bodies.build(m, this.software, this.palette.ground, drawn);
    this.bodies.update(drawn);
    this.mechanism.build(m, this.palette);
    this.tendons.build(m, this.palette);
    const up = new THREE.Vector3(...m.up);
    this.camera.setUp(up);
    const bounds = this.bodies.bounds();
    this.ground.build(m, lowestPoint(m, this.bodies.bounds(true), up), this.palette);
    this.placeSun(m, bounds, up);
    if (first) this.openingView(m, up);
    this.dirty = true;
    return true;
  }

  private openingView(m: Model, up: THREE.Vector3): void {
    this.traces.clear();
    const axis = commonAxis(m);
    if (axis && Math.abs(axis.dot(up)) < 0.5) this.camera.lookAlong(axis.negate().addScaledVector(up, -0.28).add(new THREE.Vector3().crossVectors(up, axis).multiplyScalar(0.3)), true);
    this.fit(true);
    this.seen = this.bodies.bounds();
    this.framed = this.seen.getSize(new THREE.Vector3()).length();
  }

  private placeSun(m: Model, bounds: THREE.Box3, up: THREE.Vector3): void {
    const centre = bounds.isEmpty() ? new THREE.Vector3() : bounds.getCenter(new THREE.Vector3());
    const size = 1.2 * m.extent;
    const side = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    side.addScaledVector(up, -side.dot(up)).normalize();
    this.sun.target.position.copy(centre);
    this.sun.position.copy(centre).addScaledVector(up, 2 * size).addScaledVector(side, 0.8 * size)
      .addScaledVector(new THREE.Vector3().crossVectors(side, up), 0.9 * size);
    const camera = this.sun.shadow.camera;
    Object.assign(camera, { left: -size, right: size, top: size, bottom: -size, near: 0.1 * size, far: 5 * size });
    camera.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0005;
    this.sun.shadow.normalBias = 0.002 * size;
  }

  // Shadows are drawn around what is followed.
  private moveSun(m: Model): void {
    if (followed.value === null) return;
    const moved = this.camera.target.clone().sub(this.sun.target.position);
    if (moved.length() < 0.25 * m.extent) return;
    this.sun.target.position.add(moved);
    this.sun.position.add(moved);
  }

  private updateParts(): void {
    const m = model.value!;
    const latest = interpolator.latest!;
    const { palette } = this;
    this.bodies.update(interpolator.poses.data);
    const matrix = (b: number) => (b === kWorld ? new THREE.Matrix4() : this.bodies.matrix(b));
    this.toggleParts();
    this.mechanism.update(matrix);
    this.tendons.update(matrix);
    const selected = selection.value;
    this.mechanism.highlight(selected?.kind === 'joint' ? selected.name : null, palette);
    if (show.contacts.value) this.contacts.update(latest.contacts, this.scale, palette.contact);
    this.traces.set(m, tracedPoints.value ?? [], palette.traces);
    this.drawDrags();
    const list = icons.value.map((icon) => (icon.name === this.preview?.name ? this.preview : icon));
    if (this.preview && !list.includes(this.preview)) list.push(this.preview);
    const jointPlace = (name: string) => this.mechanism.place(name);
    this.glyphs.right.setFromMatrixColumn(this.camera.camera.matrixWorld, 0);
    this.glyphs.update(list, this.scale, (name) => this.bodyMatrix(name), jointPlace, palette, selected?.kind === 'icon' ? selected.name : null);
    const joint = selected?.kind === 'joint' ? m.joints.find((j) => j.name === selected.name) : undefined;
    this.limitArc.update(joint ?? null, matrix, m.extent, palette);
    this.handleList = [...this.glyphs.handles(), ...this.limitArc.handles()];
    this.followBody(m);
    this.ground.moveTo(this.camera.target);
    this.moveSun(m);
    if (m.bodies.length <= kFewBodies && followed.value === null && !this.held) this.widen(m);
    this.updateMeasure();
  }

  private toggleParts(): void {
    this.ground.show(show.grid.value);
    this.sun.castShadow = show.shadows.value;
    this.mechanism.joints.visible = show.joints.value;
    this.mechanism.frames.visible = show.frames.value;
    this.mechanism.springs.visible = show.springs.value;
    this.tendons.root.visible = show.springs.value;
    this.contacts.root.visible = show.contacts.value;
    this.traces.root.visible = show.traces.value;
  }

  private drawDrags(): void {
    const color = new THREE.Color(this.palette.drag);
    this.drags.begin(0.04 * this.scale.length);
    for (const arrow of interpolator.latest!.arrows) {
      if (arrow.kind !== 0) continue;
      const force = new THREE.Vector3(...arrow.vector);
      const size = force.length();
      if (size > 0) this.drags.add(new THREE.Vector3(...arrow.point), force.multiplyScalar(lengthOf(this.scale, size) / size), color);
    }
    this.drags.end();
  }

  private followBody(m: Model): void {
    const b = followed.value ? m.bodies.findIndex((body) => body.name === followed.value) : -1;
    if (b < 0) return this.camera.follow(null);
    this.camera.follow(new THREE.Vector3(...m.bodies[b]!.com).applyMatrix4(this.bodies.matrix(b)));
  }

  private updateMeasure(): void {
    this.measureLine.visible = this.measured.length > 0;
    const ends = this.measured.flatMap(({ a, b }) => [this.anchored(a), this.anchored(b)]);
    const drawn = this.measureLine.geometry.getAttribute('position') as THREE.BufferAttribute | undefined;
    if (drawn && drawn.count !== ends.length) this.measureLine.geometry.deleteAttribute('position');
    if (ends.length > 0) this.measureLine.geometry.setFromPoints(ends);
  }

  private anchored({ body, p }: Anchor): THREE.Vector3 {
    return new THREE.Vector3(...p).applyMatrix4(this.bodyMatrix(body) ?? new THREE.Matrix4());
  }

  private draw(): void {
    const { camera } = this.camera;
    const shown = selection.value?.kind === 'icon' || selection.value?.kind === 'joint' ? selection.value.name : null;
    this.marks.update(this.handleList.filter((handle) => handle.owner === shown), (p) => this.metresPerPixel(p));
    this.renderer.render(this.scene, camera);
    this.drawOutline('body', hovered.value?.name ?? null, hovered.value?.kind, this.palette.hover);
    this.drawOutline('body', selection.value?.name ?? null, selection.value?.kind, this.palette.selection);
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    this.drawing = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
    this.lastDraw = this.lastTime;
    this.labels.update(this.labelList(), (p) => this.toScreen(p), this.canvas.clientWidth, this.canvas.clientHeight);
  }

  // Until somebody turns the view, it opens as far as the mechanism goes.
  private widen(m: Model): void {
    if (this.seen === null) return;
    if (this.framed > kWidest * m.extent) return;
    this.seen.union(this.bodies.bounds());
    const size = this.seen.getSize(new THREE.Vector3()).length();
    if (size < 1.02 * this.framed) return;
    this.framed = size;
    this.camera.frame(this.seen, m.extent, isBare);
  }

  private drawOutline(kind: 'body', name: string | null, of: string | undefined, color: number): void {
    const b = name !== null && of === kind ? (model.value?.bodies.findIndex((body) => body.name === name) ?? -1) : -1;
    if (b >= 0) this.outline.draw(this.renderer, this.camera.camera, this.bodies.copies(b, this.outline.white), color);
  }

  // How much of each icon acts now, by the server's word: its part along what the icon says.
  private acting(): Map<string, number> {
    const now = new Map<string, number>();
    for (const { icon: index, vector } of interpolator.latest?.arrows ?? []) {
      const icon = icons.value[index];
      if (!icon || icon.name === this.preview?.name) continue;
      const along = this.glyphs.directionOf(icon.name);
      const acts = new THREE.Vector3(...vector);
      if (along) now.set(icon.name, acts.length() * Math.sign(acts.dot(along)));
    }
    return now;
  }

  private labelList(): Label[] {
    const list = [...this.glyphs.labels(this.acting(), iconUnit), ...this.limitArc.labels()];
    for (const arrow of interpolator.latest?.arrows ?? []) {
      const size = Math.hypot(...arrow.vector);
      if (arrow.kind === 0 && size > 0) list.push({ at: new THREE.Vector3(...arrow.point), text: `${size.toPrecision(3)} N`, tone: 'drag' });
    }
    for (const each of this.measured) {
      const [a, b] = [this.anchored(each.a), this.anchored(each.b)];
      list.push({ at: a.clone().lerp(b, 0.5), text: `${a.distanceTo(b).toPrecision(4)} m`, tone: 'measure' });
    }
    const m = model.value;
    if (show.names.value && m)
      m.bodies.slice(0, 200).forEach((body, b) => list.push({ at: new THREE.Vector3(...body.com).applyMatrix4(this.bodies.matrix(b)), text: body.name, tone: 'name' }));
    return list;
  }
}

function iconUnit(icon: Icon): string {
  if (icon.kind !== 'motion') return icon.kind === 'force' ? 'N' : 'N m';
  const unit = model.value?.joints.find((joint) => joint.name === icon.joint)?.dofs[icon.dof ?? 0]?.unit ?? 'rad';
  return icon.motion === 'position' ? unit : `${unit}/s`;
}

function isMoving(): boolean {
  return ((interpolator.latest?.flags ?? 0) & FrameFlag.playing) !== 0;
}

function lowestPoint(m: Model, bounds: THREE.Box3, up: THREE.Vector3): number {
  const plane = m.world.shapes.find((shape) => shape.kind === 'plane');
  if (plane) return new THREE.Vector3(...plane.pose.p).dot(up);
  if (bounds.isEmpty()) return 0;
  const { min, max } = bounds;
  const corner = new THREE.Vector3(up.x > 0 ? min.x : max.x, up.y > 0 ? min.y : max.y, up.z > 0 ? min.z : max.z);
  return corner.dot(up) - 0.25 * m.extent;
}

// The direction of all hinges of a planar mechanism, at the start; none where they differ.
function commonAxis(m: Model): THREE.Vector3 | null {
  const hinges = m.joints.filter((joint: Joint) => joint.type === 'revolute' && joint.parent === kWorld);
  if (hinges.length === 0) return null;
  const axes = hinges.map(({ frame: { q: [w, x, y, z] } }) => new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(x, y, z, w)));
  return axes.every((axis) => Math.abs(axis.dot(axes[0]!)) > 0.99) ? axes[0]!.clone() : null;
}

function isSoftware(): boolean {
  if (isBare) return false; // pictures for reports are worth the wait
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = gl && info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
