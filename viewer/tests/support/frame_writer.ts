import { kFrameMagic, type Frame } from '../../src/protocol/frame';

// Writes frames as the server does, for tests.
export function writeFrame(frame: Frame): ArrayBuffer {
  const { values, poses, contacts, arrows } = frame;
  const bytes = new ArrayBuffer(64 + 8 * values.length + 4 * poses.length + 32 * contacts.length + 32 * arrows.length);
  const view = new DataView(bytes);
  const words: [number, number][] = [
    [0, kFrameMagic], [4, frame.modelVersion], [32, frame.flags], [36, frame.branch], [40, poses.length / 7],
    [44, contacts.length], [48, values.length], [52, frame.watchVersion], [56, arrows.length],
  ];
  for (const [at, word] of words) view.setUint32(at, word, true);
  view.setBigUint64(8, BigInt(frame.step), true);
  view.setFloat64(16, frame.t, true);
  view.setFloat32(24, frame.realTimeFactor, true);
  view.setFloat32(28, frame.speed, true);
  view.setFloat32(60, frame.positionViolation, true);
  let at = 64;
  for (const value of values) view.setFloat64(at, value, true), (at += 8);
  for (const value of poses) view.setFloat32(at, value, true), (at += 4);
  const put = (list: number[]) => list.forEach((value) => (view.setFloat32(at, value, true), (at += 4)));
  for (const contact of contacts) {
    put([...contact.point, ...contact.force]);
    view.setInt32(at, contact.a, true);
    view.setInt32(at + 4, contact.b, true);
    at += 8;
  }
  for (const arrow of arrows) {
    view.setUint32(at, arrow.kind, true);
    view.setInt32(at + 4, arrow.icon, true);
    at += 8;
    put([...arrow.point, ...arrow.vector]);
  }
  return bytes;
}

export function emptyFrame(): Frame {
  return {
    modelVersion: 1, step: 0, t: 0, realTimeFactor: 1, speed: 1, flags: 1, branch: 0, watchVersion: 1,
    positionViolation: 0, values: new Float64Array(0), poses: new Float32Array(0), contacts: [], arrows: [],
  };
}
