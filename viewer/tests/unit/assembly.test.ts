import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assembly, filledIn, parametersWith, type SentModel } from '../../src/protocol/assembly';
import type { Parameter } from '../../src/protocol/messages';

// What the server sends once or in pieces, put together.

const pose = { p: [0, 0, 0], q: [1, 0, 0, 0] };
const look = { pose, color: [1, 1, 1, 1], contact: '' };
const dof = (name: string) => ({ unit: 'rad', lower: null, upper: null, friction: 0, damping: 0, stiffness: 0, rest: 0, q: `joint.${name}.q`, u: `joint.${name}.u` });
const parameter = (path: string, group: string, value: number): Parameter => ({ path, value, initial: value, unit: 'kg', min: 0, max: null, group });

function sent(): SentModel {
  return {
    version: 3, name: 'heap', description: '', gravity: [0, 0, -9.81], up: [0, 0, 1], extent: 1,
    bodies: [
      { name: 'a', mass: 1, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0], parent: -1, shapes: [
        { kind: 'mesh', vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2], ...look },
        { as: [0, 0], ...look, pose: { p: [0, 0, 1], q: [1, 0, 0, 0] } },
      ] },
      { name: 'b', parent: 0, as: 0 },
      { name: 'c', mass: 2, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0], parent: 1, shapes: [{ as: [0, 0], ...look }] },
    ],
    world: { shapes: [{ as: [2, 0], ...look, color: [0, 0, 1, 1] }, { as: [-1, 0], ...look }] },
    joints: [
      { name: 'a.1', type: 'revolute', parent: -1, child: 0, closes_loop: false, frame: pose, frame_in_child: pose, freedoms: [false, false, true, false, false, false], dofs: [dof('a.1')], break_force: null, break_torque: null },
      { name: 'b', parent: 0, child: 1, as: 0 },
    ],
    parameters: [parameter('gravity.x', 'gravity', 0), parameter('body.a.mass', 'body a', 1), { group: 'body b', as: 'body a' }, parameter('body.c.mass', 'body c', 2)],
    springs: [], distances: [], tendons: [], motors: [], actuators: [], controllers: [], materials: [], points: [], outputs: [], dof: 2, q_count: 2, u_count: 2,
  } as unknown as SentModel;
}

test('what is like another is filled in, with a name of its own', () => {
  const m = filledIn(sent());
  assert.deepEqual(m.bodies.map((b) => [b.name, b.mass, b.parent, b.shapes.length]), [['a', 1, -1, 2], ['b', 1, 0, 2], ['c', 2, 1, 1]]);
  const vertices = (shape: object) => (shape as { vertices?: number[] }).vertices;
  const first = vertices(m.bodies[0]!.shapes[0]!);
  for (const shape of [...m.bodies.flatMap((b) => b.shapes), ...m.world.shapes]) assert.equal(vertices(shape), first); // one list for all
  assert.deepEqual(m.bodies[1]!.shapes[1]!.pose.p, [0, 0, 1]);
  assert.deepEqual(m.world.shapes[0]!.color, [0, 0, 1, 1]);
  assert.deepEqual(m.joints[1]!.dofs.map((d) => [d.q, d.u]), [['joint.b.q', 'joint.b.u']]);
  assert.equal(m.joints[1]!.type, 'revolute');
  assert.equal(m.joints[0]!.dofs[0]!.q, 'joint.a.1.q');
});

test('parameters are found with the paths of their own group', () => {
  const m = filledIn(sent());
  const found = (prefix: string) => parametersWith(m, prefix).map((p) => [p.path, p.value]);
  assert.deepEqual(found('body.a.'), [['body.a.mass', 1]]);
  assert.deepEqual(found('body.b.'), [['body.b.mass', 1]]);
  assert.deepEqual(found('body.c.'), [['body.c.mass', 2]]);
  assert.deepEqual(found('body.d.'), []);
  assert.deepEqual(m.groups, ['gravity', 'body a', 'body b', 'body c']);
});

test('a model in pieces arrives whole, and one that is cut off gives way to the next', () => {
  const assembly = new Assembly();
  const text = JSON.stringify(sent());
  const half = text.length >> 1;
  const piece = (k: number) => ({ type: 'piece' as const, piece: k, pieces: 2, text: k === 0 ? text.slice(0, half) : text.slice(half) });
  const head = { type: 'model' as const, icons: [], model: null, pieces: 2 };
  assert.equal(assembly.take(head), null);
  assert.equal(assembly.take(piece(0)), null);
  assert.equal(assembly.take({ ...head, pieces: 0 }), null); // a newer one follows
  assert.equal(assembly.take(head), null);
  assert.equal(assembly.take(piece(0)), null);
  const whole = assembly.take(piece(1));
  assert.ok(whole?.type === 'model' && whole.model.bodies.length === 3);
  const small = assembly.take({ type: 'model', icons: [], model: sent() });
  assert.ok(small?.type === 'model' && small.model.bodies[1]!.mass === 1);
  const run = { type: 'run' as const, run: {} as never };
  assert.equal(assembly.take(run), run);
});
