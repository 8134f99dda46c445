// The binary frames of docs/guide/viewer-protocol.md.

export const kFrameMagic = 0x3146504c; // "LPF1"
const kHeaderBytes = 64;
const kContactBytes = 32;
const kArrowBytes = 32;
const kPoseFloats = 7;

export const FrameFlag = { playing: 1, late: 2, failed: 4, recording: 8, replaying: 16 } as const;
export const ArrowKind = { drag: 0, force: 1, torque: 2, motion: 3 } as const;

export interface Contact {
  point: [number, number, number];
  force: [number, number, number]; // on the second body [N]
  a: number;
  b: number;
}

export interface Arrow {
  kind: number;
  icon: number; // -1: a drag
  point: [number, number, number];
  vector: [number, number, number]; // [N] or [N m]
}

export interface Frame {
  modelVersion: number;
  step: number;
  t: number; // [s]
  realTimeFactor: number;
  speed: number;
  flags: number;
  branch: number;
  watchVersion: number;
  positionViolation: number; // [m]
  values: Float64Array;
  poses: Float32Array; // x y z, w x y z for each body
  contacts: Contact[];
  arrows: Arrow[];
}

export class FrameError extends Error {}

export function parseFrame(buffer: ArrayBuffer): Frame {
  if (buffer.byteLength < kHeaderBytes) throw new FrameError(`a frame of ${buffer.byteLength} bytes has no header`);
  const view = new DataView(buffer);
  const u32 = (offset: number) => view.getUint32(offset, true);
  if (u32(0) !== kFrameMagic) throw new FrameError(`a frame begins with ${u32(0).toString(16)}`);
  const [bodyCount, contactCount, valueCount, arrowCount] = [u32(40), u32(44), u32(48), u32(56)];
  const posesAt = kHeaderBytes + 8 * valueCount;
  const contactsAt = posesAt + 4 * kPoseFloats * bodyCount;
  const arrowsAt = contactsAt + kContactBytes * contactCount;
  const size = arrowsAt + kArrowBytes * arrowCount;
  if (buffer.byteLength !== size) throw new FrameError(`a frame has ${buffer.byteLength} bytes instead of ${size}`);

  return {
    modelVersion: u32(4),
    step: Number(view.getBigUint64(8, true)),
    t: view.getFloat64(16, true),
    realTimeFactor: view.getFloat32(24, true),
    speed: view.getFloat32(28, true),
    flags: u32(32),
    branch: u32(36),
    watchVersion: u32(52),
    positionViolation: view.getFloat32(60, true),
    values: new Float64Array(buffer, kHeaderBytes, valueCount),
    poses: new Float32Array(buffer, posesAt, kPoseFloats * bodyCount),
    contacts: Array.from({ length: contactCount }, (_, i) => parseContact(view, contactsAt + kContactBytes * i)),
    arrows: Array.from({ length: arrowCount }, (_, i) => parseArrow(view, arrowsAt + kArrowBytes * i)),
  };
}

// Whether both show the same: while a run is paused they keep coming, and nothing needs to be drawn anew.
export function showsTheSame(a: Frame, b: Frame): boolean {
  return (
    a.step === b.step && a.t === b.t && a.branch === b.branch && a.flags === b.flags && a.modelVersion === b.modelVersion &&
    a.contacts.length === b.contacts.length && a.arrows.length === b.arrows.length && a.poses.length === b.poses.length &&
    a.poses.every((x, i) => x === b.poses[i]) &&
    a.arrows.every((arrow, i) => [...arrow.point, ...arrow.vector].every((x, k) => x === [...b.arrows[i]!.point, ...b.arrows[i]!.vector][k]))
  );
}

function vectorAt(view: DataView, offset: number): [number, number, number] {
  return [view.getFloat32(offset, true), view.getFloat32(offset + 4, true), view.getFloat32(offset + 8, true)];
}

function parseContact(view: DataView, at: number): Contact {
  return {
    point: vectorAt(view, at),
    force: vectorAt(view, at + 12),
    a: view.getInt32(at + 24, true),
    b: view.getInt32(at + 28, true),
  };
}

function parseArrow(view: DataView, at: number): Arrow {
  return {
    kind: view.getUint32(at, true),
    icon: view.getInt32(at + 4, true),
    point: vectorAt(view, at + 8),
    vector: vectorAt(view, at + 20),
  };
}
