import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Frame } from '../../src/protocol/frame';
import { blendPoses, Interpolator } from '../../src/protocol/interpolation';
import { emptyFrame } from '../support/frame_writer';

const at = (t: number, x: number, more: Partial<Frame> = {}): Frame => ({
  ...emptyFrame(), t, step: Math.round(1000 * t), poses: new Float32Array([x, 0, 0, 1, 0, 0, 0]), ...more,
});

test('a body of constant speed is drawn at constant speed, though frames come unevenly', () => {
  const interpolator = new Interpolator();
  const arrivals = [0, 0.02, 0.031, 0.055, 0.066, 0.085, 0.1, 0.121, 0.134, 0.15, 0.168, 0.183, 0.2];
  let next = 0;
  const drawn: number[] = [];
  for (let frame = 0; frame <= 12; ++frame) {
    const now = frame / 60;
    while (next < arrivals.length && arrivals[next]! <= now) interpolator.push(at(arrivals[next]!, arrivals[next++]!));
    interpolator.advance(now);
    drawn.push(interpolator.poses.data[0]!);
  }
  const speeds = drawn.slice(4).map((x, i) => (x - drawn[i + 3]!) * 60);
  for (const speed of speeds) assert.ok(speed > 0.5 && speed < 1.5, `speed ${speed}`); // 1 in the mean; half the frames come twice or not at all without blending
});

test('paused, the latest frame is drawn as it is', () => {
  const interpolator = new Interpolator();
  interpolator.push(at(1, 1));
  interpolator.push(at(2, 5, { flags: 0 }));
  interpolator.advance(0);
  assert.equal(interpolator.poses.data[0], 5);
  interpolator.push(at(2, 7, { flags: 0 })); // posed: the same step again
  interpolator.advance(0.016);
  assert.equal(interpolator.poses.data[0], 7);
});

test('a rewind, another branch or another model is not blended with what was before', () => {
  for (const change of [{ t: 0.5 }, { t: 1.1, branch: 1 }, { t: 1.1, modelVersion: 2 }]) {
    const interpolator = new Interpolator();
    interpolator.push(at(0.9, 1));
    interpolator.push(at(1, 1));
    interpolator.advance(0);
    interpolator.push(at(change.t, 9, change));
    interpolator.advance(0.016);
    assert.equal(interpolator.poses.data[0], 9);
  }
});

test('orientations take the shorter arc and stay of length one', () => {
  const half = Math.SQRT1_2;
  const a = new Float32Array([0, 0, 0, 1, 0, 0, 0]);
  const b = new Float32Array([2, 0, 0, -half, 0, 0, -half]); // a quarter turn about z, with the other sign
  const out = new Float32Array(7);
  blendPoses(a, b, 0.5, out);
  assert.ok(Math.abs(out[0]! - 1) < 1e-6);
  // An eighth of a turn; single precision.
  assert.ok(Math.abs(out[3]! - Math.cos(Math.PI / 8)) < 1e-6 && Math.abs(out[6]! - Math.sin(Math.PI / 8)) < 1e-6);
});
