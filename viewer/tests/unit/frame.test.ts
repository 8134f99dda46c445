import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameError, FrameFlag, parseFrame, showsTheSame, type Frame } from '../../src/protocol/frame';
import { emptyFrame, writeFrame } from '../support/frame_writer';

const frame: Frame = {
  modelVersion: 7, step: 2 ** 40 + 3, t: 12.25, realTimeFactor: 0.5, speed: 2, flags: FrameFlag.playing | FrameFlag.late, branch: 3,
  watchVersion: 4, positionViolation: 2 ** -20, values: new Float64Array([1.5, NaN]), poses: new Float32Array([1, 2, 3, 1, 0, 0, 0]),
  contacts: [{ point: [1, 2, 3], force: [0, 9.5, 0], a: -1, b: 0 }],
  arrows: [{ kind: 1, icon: 0, point: [0.5, 0, 0], vector: [0, -4, 0] }, { kind: 0, icon: -1, point: [1, 1, 1], vector: [2, 0, 0] }],
};

test('a frame comes back as it was written', () => {
  assert.deepEqual(parseFrame(writeFrame(frame)), frame);
});

// The layout by hand, from the table of docs/guide/viewer-protocol.md.
test('the fields lie where the protocol says', () => {
  const bytes = new Uint8Array(writeFrame(frame));
  assert.equal(String.fromCharCode(...bytes.subarray(0, 4)), 'LPF1');
  const view = new DataView(bytes.buffer);
  assert.equal(view.getFloat64(16, true), 12.25);
  assert.equal(view.getUint32(40, true), 1);
  assert.equal(view.getFloat64(64, true), 1.5);
  assert.equal(view.getFloat32(64 + 16, true), 1);
  assert.equal(bytes.length, 64 + 16 + 28 + 32 + 64);
});

test('what is not a frame is refused', () => {
  assert.throws(() => parseFrame(new ArrayBuffer(12)), FrameError);
  assert.throws(() => parseFrame(new ArrayBuffer(64)), FrameError);
  const short = writeFrame(frame).slice(0, -4);
  assert.throws(() => parseFrame(short), FrameError);
  const endless = writeFrame(emptyFrame());
  new DataView(endless).setUint32(40, 0xffffffff, true);
  assert.throws(() => parseFrame(endless), FrameError);
});

test('a frame that came again needs no new picture; any change of what is seen does', () => {
  const plain = { ...frame, contacts: [] };
  assert.ok(showsTheSame(plain, { ...plain, poses: new Float32Array(frame.poses), realTimeFactor: 0.7 }));
  const moved = new Float32Array(frame.poses);
  moved[1] = 2.5;
  const pulled = frame.arrows.map((arrow) => ({ ...arrow, vector: [0, -5, 0] as [number, number, number] }));
  const others: Partial<Frame>[] = [
    { poses: moved }, { poses: new Float32Array(14) }, { step: 3 }, { t: 1 }, { branch: 4 }, { modelVersion: 8 }, { flags: 0 },
    { arrows: pulled }, { arrows: [] }, { contacts: frame.contacts },
  ];
  for (const other of others) assert.ok(!showsTheSame(plain, { ...plain, ...other }), Object.keys(other)[0]);
});
