import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aim, both, kHandsOff, ramped, wishesOfKeys, wishesOfPad } from '../../src/state/pedals';

test('keys are wishes, and opposite ones cancel', () => {
  assert.deepEqual(wishesOfKeys(['KeyW', 'ArrowLeft', 'KeyX']), { forward: 1, back: 0, left: 1 });
  assert.deepEqual(wishesOfKeys(['KeyA', 'ArrowLeft']), { forward: 0, back: 0, left: 1 });
  assert.equal(wishesOfKeys(['KeyA', 'KeyD']).left, 0);
});

test('a stick at rest is nothing, at its end everything', () => {
  const pad = (x: number, gas = 0) => wishesOfPad({ axes: [x], buttons: Array.from({ length: 8 }, (_, i) => ({ value: i === 7 ? gas : 0 })) });
  assert.deepEqual(pad(0.05), { forward: 0, back: 0, left: 0 });
  assert.equal(pad(-1).left, 1);
  assert.equal(pad(1, 0.3).left, -1);
  assert.equal(pad(0, 0.3).forward, 0.3);
  assert.deepEqual(wishesOfPad({ axes: [], buttons: [] }), { forward: 0, back: 0, left: 0 });
  assert.deepEqual(both(pad(-1), wishesOfKeys(['KeyA', 'KeyW'])), { forward: 1, back: 0, left: 1 });
});

test('the pedal against the motion brakes, at rest it drives that way', () => {
  const back = { forward: 0, back: 1, left: 0 };
  const forward = { forward: 1, back: 0, left: 0 };
  assert.deepEqual(aim(back, 5, -0.5), { throttle: 0, brake: 1, steer: 0 });
  assert.deepEqual(aim(back, 0, -0.5), { throttle: -0.5, brake: 0, steer: 0 });
  assert.deepEqual(aim(forward, -3, -0.5), { throttle: 0, brake: 1, steer: 0 });
  assert.deepEqual(aim(forward, 0, -0.5), { throttle: 1, brake: 0, steer: 0 });
  assert.deepEqual(aim({ forward: 1, back: 1, left: 0 }, 5, -0.5), { throttle: 0, brake: 1, steer: 0 });
});

test('what is asked for comes in a ramp and stays there', () => {
  const full = { throttle: 1, brake: 0, steer: -1 };
  let now = kHandsOff;
  const seen: number[] = [];
  for (let i = 0; i < 20; ++i) seen.push((now = ramped(now, full, 0.05)).throttle);
  assert.ok(seen[0]! > 0 && seen[0]! < 0.3);
  assert.deepEqual(now, full);
  for (let i = 0; i < 20; ++i) now = ramped(now, kHandsOff, 0.05);
  assert.deepEqual(now, kHandsOff);
});
