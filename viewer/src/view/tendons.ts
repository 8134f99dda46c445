import * as THREE from 'three';
import type { Attachment, Model, TendonWrap } from '../protocol/messages';
import type { Palette } from './palette';
import { poseToMatrix } from './mechanism';

// Tendons as lines: straight between their points, bent around what they wrap around (src/model/tendon_wrap.cpp).

type MatrixOf = (body: number) => THREE.Matrix4;
type Point2 = [number, number];

const kArcPoints = 12;

const norm = (p: Point2) => Math.hypot(p[0], p[1]);
const dot = (a: Point2, b: Point2) => a[0] * b[0] + a[1] * b[1];
const cross = (a: Point2, b: Point2) => a[0] * b[1] - a[1] * b[0];
const difference = (a: Point2, b: Point2): Point2 => [b[0] - a[0], b[1] - a[1]];

function nearestToOrigin(a: Point2, b: Point2): Point2 {
  const d = difference(a, b);
  const s = Math.min(1, Math.max(0, -dot(a, d) / dot(d, d)));
  return [a[0] + s * d[0], a[1] + s * d[1]];
}

function tangentPoint(p: Point2, radius: number, turn: number): Point2 {
  const p2 = dot(p, p);
  const along = (radius * radius) / p2;
  const across = (turn * radius * Math.sqrt(Math.max(0, p2 - radius * radius))) / p2;
  return [along * p[0] - across * p[1], along * p[1] + across * p[0]];
}

function crossEachOther(a: Point2, b: Point2, c: Point2, d: Point2): boolean {
  const [u, v, w] = [difference(a, b), difference(c, d), difference(a, c)];
  const area = cross(u, v);
  if (Math.abs(area) < 1e-14) return false;
  const [s, t] = [cross(w, v) / area, cross(w, u) / area];
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// Points on the circle from where the string touches to where it leaves; none: it passes straight.
function arcOutside(a: Point2, b: Point2, radius: number, side: Point2 | null): Point2[] {
  const nearest = nearestToOrigin(a, b);
  if (norm(nearest) > radius && (!side || dot(side, nearest) >= 0)) return [];
  let best: Point2[] = [];
  let bestMerit = -Infinity;
  for (const turn of [1, -1]) {
    const [first, last] = [tangentPoint(a, radius, turn), tangentPoint(b, radius, -turn)];
    if (crossEachOther(a, first, b, last)) continue;
    const middle: Point2 = [first[0] + last[0], first[1] + last[1]];
    const merit = side ? dot(side, middle) / Math.max(norm(middle), 1e-14) : -norm(difference(first, last));
    if (merit <= bestMerit) continue;
    bestMerit = merit;
    const from = Math.atan2(first[1], first[0]);
    let angle = turn * Math.atan2(cross(first, last), dot(first, last));
    if (angle < 0) angle += 2 * Math.PI;
    best = Array.from({ length: kArcPoints + 1 }, (_, i) => {
      const at = from + (turn * angle * i) / kArcPoints;
      return [radius * Math.cos(at), radius * Math.sin(at)];
    });
  }
  return best;
}

function pointInside(a: Point2, b: Point2, radius: number): Point2[] {
  if (norm(nearestToOrigin(a, b)) <= radius) return [];
  const from = Math.atan2(a[1], a[0]);
  const turn = Math.atan2(cross(a, b), dot(a, b));
  const place = (s: number): Point2 => [radius * Math.cos(from + s * turn), radius * Math.sin(from + s * turn)];
  const length = (s: number) => norm(difference(a, place(s))) + norm(difference(b, place(s)));
  let [low, high] = [0, 1];
  for (let i = 0; i < 40; ++i) {
    const [p, q] = [low + (high - low) / 3, high - (high - low) / 3];
    if (length(p) < length(q)) high = q;
    else low = p;
  }
  return [place((low + high) / 2)];
}

function arc(a: Point2, b: Point2, radius: number, side: Point2 | null, isInside: boolean): Point2[] {
  if (norm(a) <= radius || norm(b) <= radius || norm(difference(a, b)) < 1e-14) return [];
  if (isInside) return pointInside(a, b, radius);
  return arcOutside(a, b, radius, side && norm(side) > 1e-14 ? side : null);
}

// Between two points in the frame of a sphere or cylinder (about z), where a string lies on it.
export function wrappedPoints(kind: TendonWrap['around'], radius: number, a: THREE.Vector3, b: THREE.Vector3, side: THREE.Vector3 | null): THREE.Vector3[] {
  const isInside = side !== null && side.length() < radius;
  if (kind === 'cylinder') {
    const flat = (p: THREE.Vector3): Point2 => [p.x, p.y];
    const points = arc(flat(a), flat(b), radius, side && flat(side), isInside);
    const ways = [flat(a), ...points, flat(b)].map((p, i, all) => (i === 0 ? 0 : norm(difference(all[i - 1]!, p))));
    const whole = ways.reduce((sum, way) => sum + way, 0);
    let way = 0;
    return points.map((p, i) => {
      way += ways[i + 1]!;
      return new THREE.Vector3(p[0], p[1], a.z + ((b.z - a.z) * way) / whole);
    });
  }
  const x = a.clone().normalize();
  const normal = x.clone().cross(b);
  if (normal.length() < 1e-14) normal.copy(x).cross(side ?? new THREE.Vector3(0.3, 0.5, 0.8));
  const y = normal.normalize().cross(x);
  const flat = (p: THREE.Vector3): Point2 => [p.dot(x), p.dot(y)];
  return arc(flat(a), flat(b), radius, side && flat(side), isInside)
    .map((p) => x.clone().multiplyScalar(p[0]).addScaledVector(y, p[1]));
}

export class Tendons {
  readonly root = new THREE.Group();
  private lines: { line: THREE.Line; path: (Attachment | TendonWrap)[] }[] = [];

  build(model: Model, palette: Palette): void {
    for (const { line } of this.lines) line.geometry.dispose();
    this.root.clear();
    this.lines = model.tendons.flatMap((tendon) => tendon.branches).map((path) => {
      const line = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: palette.tendon }));
      const most = path.length * (kArcPoints + 2);
      line.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * most), 3));
      line.frustumCulled = false;
      return { line, path };
    });
    for (const { line } of this.lines) this.root.add(line);
  }

  update(matrix: MatrixOf): void {
    for (const { line, path } of this.lines) {
      const points = layTendon(path, matrix);
      const position = line.geometry.getAttribute('position') as THREE.BufferAttribute;
      points.forEach((p, i) => position.setXYZ(i, p.x, p.y, p.z));
      line.geometry.setDrawRange(0, points.length);
      position.needsUpdate = true;
    }
  }
}

export function layTendon(path: (Attachment | TendonWrap)[], matrix: MatrixOf): THREE.Vector3[] {
  const place = (at: Attachment) => new THREE.Vector3(...at.p).applyMatrix4(matrix(at.body));
  const points: THREE.Vector3[] = [];
  let around: TendonWrap | null = null;
  for (const part of path) {
    if ('around' in part) {
      around = part;
      continue;
    }
    const p = place(part);
    const before = points[points.length - 1];
    if (around && before) {
      const frame = matrix(around.body).clone().multiply(poseToMatrix(around.frame));
      const inverse = frame.clone().invert();
      const side = around.side && place(around.side).applyMatrix4(inverse);
      const touching = wrappedPoints(around.around, around.radius, before.clone().applyMatrix4(inverse), p.clone().applyMatrix4(inverse), side);
      points.push(...touching.map((q) => q.applyMatrix4(frame)));
    }
    around = null;
    points.push(p);
  }
  return points;
}
