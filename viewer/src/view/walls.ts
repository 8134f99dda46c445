import * as THREE from 'three';
import type { Model, Shape } from '../protocol/messages';

// Half-spaces that enclose a room have no end of their own: each is drawn as far as the others leave it, up to the
// highest body. A floor, and a slope that stands alone, stay as they are.

const kFewest = 3; // walls that make a room
const kFloor = 0.99; // of up, in a floor's normal
const kPaleness = 0.3; // opacity of walls, at least

interface Wall {
  shape: Shape;
  normal: THREE.Vector3;
  point: THREE.Vector3;
}

export function worldShapes(model: Model, poses: Float32Array): Shape[] {
  const up = new THREE.Vector3(...model.up);
  const planes = model.world.shapes.filter((shape) => shape.kind === 'plane').map(wallOf);
  const walls = planes.filter((wall) => wall.normal.dot(up) < kFloor);
  if (walls.length < kFewest) return model.world.shapes;
  const { centre, top } = reach(poses, up);
  const lid: Wall = { shape: walls[0]!.shape, normal: up.clone().negate(), point: up.clone().multiplyScalar(top) };
  const vertices: number[] = [];
  const triangles: number[] = [];
  for (const wall of walls) {
    const polygon = [...planes, lid].filter((other) => other !== wall).reduce(clip, square(wall, centre, 20 * model.extent));
    const first = vertices.length / 3;
    for (const p of polygon) vertices.push(p.x, p.y, p.z);
    for (let i = 2; i < polygon.length; ++i) triangles.push(first, first + i - 1, first + i);
  }
  const { color } = walls[0]!.shape;
  const room: Shape = {
    kind: 'mesh', vertices, triangles, pose: { p: [0, 0, 0], q: [1, 0, 0, 0] }, contact: '',
    color: [color[0], color[1], color[2], Math.max(kPaleness, color[3])],
  };
  const drawn = new Set(walls.map((wall) => wall.shape));
  return [...model.world.shapes.filter((shape) => !drawn.has(shape)), room];
}

function wallOf(shape: Shape): Wall {
  const [w, x, y, z] = shape.pose.q;
  const normal = new THREE.Vector3(0, 0, 1).applyQuaternion(new THREE.Quaternion(x, y, z, w));
  return { shape, normal, point: new THREE.Vector3(...shape.pose.p) };
}

function reach(poses: Float32Array, up: THREE.Vector3): { centre: THREE.Vector3; top: number } {
  const centre = new THREE.Vector3();
  let top = -Infinity;
  for (let i = 0; i < poses.length; i += 7) {
    const p = new THREE.Vector3(poses[i]!, poses[i + 1]!, poses[i + 2]!);
    centre.addScaledVector(p, 7 / poses.length);
    top = Math.max(top, p.dot(up));
  }
  return { centre, top };
}

// Counter-clockwise about the normal, around the foot of the centre.
function square(wall: Wall, centre: THREE.Vector3, half: number): THREE.Vector3[] {
  const foot = centre.clone().addScaledVector(wall.normal, wall.point.clone().sub(centre).dot(wall.normal));
  const x = new THREE.Vector3(1, 0, 0).cross(wall.normal);
  if (x.lengthSq() < 1e-6) x.set(0, 1, 0).cross(wall.normal);
  x.normalize();
  const y = wall.normal.clone().cross(x);
  return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
    foot.clone().addScaledVector(x, a! * half).addScaledVector(y, b! * half));
}

// What of a convex polygon lies on the free side of a wall (Sutherland and Hodgman, 1974).
export function clip(polygon: THREE.Vector3[], wall: { normal: THREE.Vector3; point: THREE.Vector3 }): THREE.Vector3[] {
  const height = (p: THREE.Vector3) => p.clone().sub(wall.point).dot(wall.normal);
  return polygon.flatMap((p, i) => {
    const next = polygon[(i + 1) % polygon.length]!;
    const [a, b] = [height(p), height(next)];
    const kept = a >= 0 ? [p] : [];
    if (a >= 0 !== b >= 0) kept.push(p.clone().lerp(next, a / (a - b)));
    return kept;
  });
}
