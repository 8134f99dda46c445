import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Freedoms } from '../../src/protocol/messages';
import { nudged, parseNumber, short } from '../../src/ui/format';
import { typeOfFreedoms } from '../../src/ui/joint_types';
import { arrowScale, lengthOf, magnitudeOf } from '../../src/view/arrow_scale';
import { niceLength } from '../../src/view/ground';

test('numbers are read as people type them', () => {
  for (const [text, value] of [['2', 2], [' -1.5e-3 ', -0.0015], ['0,25', 0.25], ['90 deg', Math.PI / 2], ['-45°', -Math.PI / 4], ['pi', Math.PI], ['-pi/2', -Math.PI / 2], ['1/4', 0.25]] as const)
    assert.ok(Math.abs(parseNumber(text) - value) < 1e-15, text);
  for (const text of ['', '-', 'abc', '1 2', '--1', 'deg', '1e']) assert.ok(Number.isNaN(parseNumber(text)), text);
});

test('numbers are shown short', () => {
  assert.deepEqual([0, 1.23456, 1e-7, 1.2e-5, 123456789, null, NaN].map((x) => short(x)), ['0', '1.235', '1e-7', '1.2e-5', '1.23e8', '–', '–']);
  assert.deepEqual([nudged(0.25, 1, false), nudged(0.25, -1, true), nudged(0, 1, false)], [0.26, 0.15, 0.1]);
});

test('the six switches name the joint, whichever axis', () => {
  const types: [string, string | null][] = [
    ['000000', 'fixed'], ['001000', 'revolute'], ['100000', 'revolute'], ['000010', 'prismatic'], ['001001', 'cylindrical'],
    ['010001', null], ['110000', 'universal'], ['111000', 'ball'], ['001110', 'planar'], ['001011', null], ['111111', 'free'],
    ['000110', null], ['111100', null],
  ];
  for (const [bits, type] of types) assert.equal(typeOfFreedoms([...bits].map((bit) => bit === '1') as Freedoms), type, bits);
});

test('the length of an arrow and its force are one to one', () => {
  const scale = arrowScale({ extent: 2, gravity: [0, -9.81, 0], bodies: [{ mass: 1 }, { mass: 3 }, { mass: 100 }] });
  for (const force of [0, 1e-3, 1, 50, 1e5]) assert.ok(Math.abs(magnitudeOf(scale, lengthOf(scale, force)) - force) <= 1e-9 * (1 + force));
  assert.ok(lengthOf(scale, 1e6) < 4); // a huge force still fits the picture
});

test('grid cells are 1, 2 or 5 times a power of ten', () => {
  assert.deepEqual([0.11, 0.03, 0.6, 8, 1].map((x) => Number(niceLength(x).toPrecision(6))), [0.1, 0.02, 0.5, 10, 1]);
});
