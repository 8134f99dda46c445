import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as THREE from 'three';
import { layTendon, wrappedPoints } from '../../src/view/tendons';

const v = (x: number, y: number, z: number) => new THREE.Vector3(x, y, z);
const lengthOf = (points: THREE.Vector3[]) => points.reduce((sum, p, i) => (i === 0 ? 0 : sum + p.distanceTo(points[i - 1]!)), 0);

// Two points at the distance d from the centre, seen from there at an angle.
const around = (d: number, between: number, r: number) => 2 * Math.sqrt(d * d - r * r) + r * (between - 2 * Math.acos(r / d));

test('a string around a cylinder is a helix', () => {
  const [d, r, between] = [0.5, 0.2, 2.9];
  const [a, b] = [v(d, 0, 0.1), v(d * Math.cos(between), d * Math.sin(between), 0.8)];
  const length = lengthOf([a, ...wrappedPoints('cylinder', r, a, b, null), b]);
  assert.ok(Math.abs(length - Math.hypot(around(d, between, r), 0.7)) < 1e-3); // chords instead of an arc
});

test('a string goes around a sphere on the side of a point', () => {
  const [d, r, between] = [0.5, 0.2, 2.9];
  const [a, b] = [v(d, 0, 0), v(d * Math.cos(between), 0, d * Math.sin(between))];
  const way = (side: THREE.Vector3 | null) => lengthOf([a, ...wrappedPoints('sphere', r, a, b, side), b]);
  assert.ok(Math.abs(way(null) - around(d, between, r)) < 1e-3);
  assert.ok(Math.abs(way(v(0, 0, -1)) - around(d, 2 * Math.PI - between, r)) < 3e-3);
});

test('a string passes straight where nothing is in its way, and through the middle of a ring', () => {
  assert.equal(wrappedPoints('cylinder', 0.2, v(0.5, 0.3, 0), v(-0.5, 0.3, 0), null).length, 0);
  const inside = wrappedPoints('cylinder', 0.2, v(0.5, 0.3, 0), v(-0.5, 0.3, 0), v(0, 0, 0));
  assert.equal(inside.length, 1);
  assert.ok(inside[0]!.distanceTo(v(0, 0.2, 0)) < 1e-6);
});

test('a tendon is laid through its points and around what stands between them', () => {
  const still = () => new THREE.Matrix4();
  const frame = { p: [0, 0, 0] as [number, number, number], q: [1, 0, 0, 0] as [number, number, number, number] };
  const points = layTendon([
    { body: -1, p: [0.5, 0, 0] }, { around: 'sphere', body: 0, frame, radius: 0.2, side: { body: 0, p: [0, 1, 0] } },
    { body: -1, p: [-0.5, 0, 0] }, { body: -1, p: [-0.5, 0.3, 0] },
  ], still);
  assert.deepEqual(points[points.length - 1]!.toArray(), [-0.5, 0.3, 0]);
  assert.ok(points.slice(1, -2).every((p) => Math.abs(p.length() - 0.2) < 1e-12 && p.y > 0));
});
