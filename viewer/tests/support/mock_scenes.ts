import type { Contact } from '../../src/protocol/frame';
import type { Body, Joint, Model, Shape, Vec3 } from '../../src/protocol/messages';

// Two scenes with known motion: the Peaucellier linkage by its geometry, and a heap of spheres.

export interface MockScene {
  model: Model;
  poses(t: number): Float32Array;
  contacts(t: number): Contact[];
  values(t: number): Record<string, number>;
}

const identity = { p: [0, 0, 0] as Vec3, q: [1, 0, 0, 0] as [number, number, number, number] };
const kArm = 0.5;
const kSide = 0.2;
const kCrank = 0.2;

function bar(name: string, length: number, parent: number, color: Shape['color'] = [0.6, 0.65, 0.7, 1]): Body {
  const size: Vec3 = [length, 0.02, 0.02];
  const shape: Shape = { kind: 'box', size, pose: { p: [length / 2, 0, 0], q: [1, 0, 0, 0] }, color, contact: '' };
  return { name, mass: 0.2, com: [length / 2, 0, 0], inertia: [1e-4, 1e-3, 1e-3, 0, 0, 0], parent, shapes: [shape] };
}

function hinge(name: string, parent: number, child: number, at: Vec3, inChild: Vec3 = [0, 0, 0]): Joint {
  return {
    name, type: 'revolute', parent, child, closes_loop: inChild[0] !== 0, frame: { ...identity, p: at }, frame_in_child: { ...identity, p: inChild },
    freedoms: [false, false, true, false, false, false],
    dofs: [{ unit: 'rad', lower: null, upper: null, friction: 0, damping: 0, stiffness: 0, rest: 0, q: `joint.${name}.q`, u: `joint.${name}.u` }],
    break_force: null, break_torque: null,
  };
}

function emptyModel(name: string): Model {
  return {
    version: 1, name, description: 'A scene of the tests', gravity: [0, -9.81, 0], up: [0, 1, 0], extent: 1.1, bodies: [], world: { shapes: [] },
    joints: [], springs: [], distances: [], tendons: [], motors: [], actuators: [], controllers: [], materials: [], points: [], parameters: [], outputs: [], dof: 0, q_count: 0, u_count: 0,
  };
}

export function peaucellier(): MockScene {
  const bodies = [
    bar('crank', kCrank, -1, [0.8, 0.3, 0.2, 1]), bar('OA', kArm, -1), bar('OB', kArm, -1),
    bar('AC', kSide, 1), bar('AD', kSide, 1), bar('BC', kSide, 2), bar('BD', kSide, 2),
  ];
  const joints = [
    hinge('crank', -1, 0, [kCrank, 0, 0]), hinge('OA', -1, 1, [0, 0, 0]), hinge('OB', -1, 2, [0, 0, 0]),
    hinge('AC', 1, 3, [kArm, 0, 0]), hinge('AD', 1, 4, [kArm, 0, 0]), hinge('BC', 2, 5, [kArm, 0, 0]), hinge('BD', 2, 6, [kArm, 0, 0]),
    hinge('D', 4, 6, [kSide, 0, 0], [kSide, 0, 0]),
  ];
  const model: Model = {
    ...emptyModel('peaucellier'), bodies, joints, dof: 7, q_count: 7, u_count: 7,
    points: [{ name: 'A', body: 1, p: [kArm, 0, 0] }, { name: 'D', body: 4, p: [kSide, 0, 0] }],
    outputs: [{ name: 'D_x', expr: 'point.D.x', unit: 'm' }, { name: 'D_y', expr: 'point.D.y', unit: 'm' }],
    parameters: bodies.map((body) => ({ path: `body.${body.name}.mass`, value: body.mass, initial: body.mass, unit: 'kg', min: 0, max: null, group: `body ${body.name}` })),
  };
  const place = (t: number) => {
    const swing = -(Math.PI / 3) * Math.cos(Math.PI * t);
    const c = [kCrank + kCrank * Math.cos(swing), kCrank * Math.sin(swing)] as const;
    const reach = Math.hypot(...c);
    const direction = Math.atan2(c[1], c[0]);
    const half = Math.acos((reach ** 2 + kArm ** 2 - kSide ** 2) / (2 * reach * kArm));
    const d = (kArm ** 2 - kSide ** 2) / reach;
    return { swing, c, direction, half, d: [d * Math.cos(direction), d * Math.sin(direction)] as const };
  };
  return {
    model,
    contacts: () => [],
    values: (t) => ({ D_x: place(t).d[0], D_y: place(t).d[1] }),
    poses: (t) => {
      const { swing, c, direction, half, d } = place(t);
      const end = (angle: number) => [kArm * Math.cos(angle), kArm * Math.sin(angle)] as const;
      const [a, b] = [end(direction + half), end(direction - half)];
      const to = (from: readonly [number, number], target: readonly [number, number]) => [from[0], from[1], Math.atan2(target[1] - from[1], target[0] - from[0])];
      const rows = [[kCrank, 0, swing], [0, 0, direction + half], [0, 0, direction - half], to(a, c), to(a, d), to(b, c), to(b, d)];
      return new Float32Array(rows.flatMap(([x, y, angle]) => [x!, y!, 0, Math.cos(angle! / 2), 0, 0, Math.sin(angle! / 2)]));
    },
  };
}

export function heap(count: number): MockScene {
  const side = Math.ceil(Math.cbrt(count));
  const kinds: ((i: number) => Shape)[] = [
    (i) => ({ kind: 'sphere', radius: 0.045, pose: identity, color: [0.3 + 0.5 * ((i * 7) % 10) / 10, 0.5, 0.75, 1], contact: 'm' }),
    () => ({ kind: 'box', size: [0.08, 0.07, 0.06], pose: identity, color: [0.75, 0.55, 0.3, 1], contact: 'm' }),
    () => ({ kind: 'cylinder', radius: 0.035, length: 0.08, pose: identity, color: [0.45, 0.65, 0.5, 1], contact: 'm' }),
    () => ({ kind: 'capsule', radius: 0.025, length: 0.05, pose: identity, color: [0.65, 0.5, 0.7, 1], contact: 'm' }),
    () => ({ kind: 'frustum', bottom_radius: 0.045, top_radius: 0.02, height: 0.08, pose: identity, color: [0.6, 0.65, 0.7, 1], contact: 'm' }),
    () => ({ kind: 'hull', vertices: [-0.04, -0.04, -0.03, 0.04, -0.04, -0.03, 0, 0.05, -0.03, 0, 0, 0.05], triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3], pose: identity, color: [0.8, 0.4, 0.35, 1], contact: 'm' }),
  ];
  const bodies = Array.from({ length: count }, (_, i): Body => ({
    name: `part${i + 1}`, mass: 0.1, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0], parent: -1, shapes: [kinds[i % kinds.length]!(i)],
  }));
  const flat = { p: [0, 0, 0] as Vec3, q: [Math.SQRT1_2, -Math.SQRT1_2, 0, 0] as [number, number, number, number] };
  const world: Shape[] = [
    { kind: 'plane', pose: flat, color: [0.35, 0.38, 0.42, 1], contact: 'm' },
    { kind: 'cup', bottom_radius: 0.75, top_radius: 0.95, height: 1.1, pose: flat, color: [0.6, 0.65, 0.7, 1], contact: 'm' },
    { kind: 'height_field', columns: 3, rows: 3, size: [0.6, 0.6], heights: [0, 0.05, 0, 0.1, 0.2, 0.1, 0, 0.05, 0], pose: { ...flat, p: [1.8, 0, 0] }, color: [0.4, 0.5, 0.4, 1], contact: 'm' },
  ];
  const at = (i: number): Vec3 => [((i % side) - side / 2 + 0.5) * 0.1, 0.05 + Math.floor(i / side / side) * 0.1, ((Math.floor(i / side) % side) - side / 2 + 0.5) * 0.1];
  return {
    model: { ...emptyModel('heap'), extent: 2, bodies, world: { shapes: world } },
    values: () => ({}),
    contacts: () => bodies.slice(0, side * side).map((_, i) => ({ point: [at(i)[0], 0, at(i)[2]], force: [0, 1 + (i % 3), 0], a: -1, b: i })),
    poses: (t) => new Float32Array(bodies.flatMap((_, i) => {
      const [x, y, z] = at(i);
      return [x, y + 0.01 * Math.sin(4 * t + i), z, Math.cos(t + i), 0, Math.sin(t + i), 0];
    })),
  };
}
