import { FrameFlag, type Frame } from './frame';

// Smooth motion from frames that arrive unevenly: a playhead in simulated time runs a little behind the latest frame
// and poses are blended between the two frames around it.

const kDelay = 0.03; // behind the latest frame [s of wall time]: two frames at 60 Hz
const kCatchUp = 4; // how fast the playhead is pulled to where it should be [1/s]
const kJump = 0.25; // farther away than this [s of wall time], it jumps
const kMostFrames = 16;

export class Interpolator {
  private frames: Frame[] = [];
  private playhead = 0;
  private lastNow: number | null = null;
  readonly poses: { data: Float32Array } = { data: new Float32Array(0) };

  get latest(): Frame | undefined {
    return this.frames[this.frames.length - 1];
  }

  push(frame: Frame): void {
    const last = this.latest;
    const broken =
      last &&
      (frame.modelVersion !== last.modelVersion ||
        frame.poses.length !== last.poses.length ||
        frame.branch !== last.branch ||
        frame.step < last.step);
    if (broken || !last) this.frames.length = 0;
    if (last && !broken && frame.step === last.step) this.frames.pop(); // the same state again: posed, or edited
    this.frames.push(frame);
    if (this.frames.length > kMostFrames) this.frames.shift();
    if (this.frames.length === 1 || !(frame.flags & FrameFlag.playing)) this.playhead = frame.t;
  }

  // Poses for the wall time `now` [s]; true where they differ from the last ones.
  advance(now: number): boolean {
    const latest = this.latest;
    if (!latest) return false;
    const elapsed = this.lastNow === null ? 0 : Math.max(0, now - this.lastNow);
    this.lastNow = now;
    const before = this.playhead;
    if (!(latest.flags & FrameFlag.playing)) this.playhead = latest.t;
    else this.move(latest, elapsed);
    const resized = this.poses.data.length !== latest.poses.length;
    if (resized) this.poses.data = new Float32Array(latest.poses.length);
    this.blend();
    return resized || before !== this.playhead || !(latest.flags & FrameFlag.playing);
  }

  private move(latest: Frame, elapsed: number): void {
    const rate = latest.realTimeFactor > 0 ? latest.realTimeFactor : latest.speed;
    const wanted = latest.t - kDelay * rate;
    this.playhead += elapsed * rate;
    const error = wanted - this.playhead;
    if (Math.abs(error) > kJump * rate) this.playhead = wanted;
    else this.playhead += error * Math.min(1, kCatchUp * elapsed);
    this.playhead = Math.min(latest.t, Math.max(this.frames[0]!.t, this.playhead));
  }

  private blend(): void {
    let i = this.frames.length - 1;
    while (i > 0 && this.frames[i]!.t > this.playhead) --i;
    const a = this.frames[i]!;
    const b = this.frames[i + 1];
    if (!b || b.t <= a.t) this.poses.data.set(a.poses);
    else blendPoses(a.poses, b.poses, (this.playhead - a.t) / (b.t - a.t), this.poses.data);
  }
}

// Positions linearly, orientations linearly and normalized along the shorter arc: between two frames of a screen the
// difference to the great circle is far below what is seen.
export function blendPoses(a: Float32Array, b: Float32Array, s: number, out: Float32Array): void {
  for (let i = 0; i < a.length; i += 7) {
    for (let k = 0; k < 3; ++k) out[i + k] = a[i + k]! + s * (b[i + k]! - a[i + k]!);
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += a[i + k]! * b[i + k]!;
    const sign = dot < 0 ? -1 : 1;
    let norm = 0;
    for (let k = 3; k < 7; ++k) {
      const value = (1 - s) * a[i + k]! + s * sign * b[i + k]!;
      out[i + k] = value;
      norm += value * value;
    }
    const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let k = 3; k < 7; ++k) out[i + k] = scale * out[i + k]!;
  }
}
