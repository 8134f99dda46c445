import { signal } from '@preact/signals';
import type { Frame } from '../protocol/frame';
import type { Watch } from '../protocol/messages';

// What the watched channels were, per name, for the plots. Time goes back after a seek or an undo: what lies ahead is
// cut off here and asked for again from the server.

const kMostRows = 40000;

export type Value = number | null;

export class Channel {
  t: number[] = [];
  values: Value[] = [];

  // Appends, cutting off what is not before t.
  append(t: number, value: number): void {
    if (this.t.length > 0 && this.t[this.t.length - 1]! >= t) this.cut(t);
    this.t.push(t);
    this.values.push(Number.isFinite(value) ? value : null);
    if (this.t.length > kMostRows) this.thin();
  }

  cut(t: number): void {
    this.t.length = this.values.length = firstAtOrAfter(this.t, t);
  }

  replace(t: number[], values: Value[]): void {
    this.t = [...t];
    this.values = [...values];
  }

  // Value at time t: the row at or before it.
  at(t: number): Value {
    const next = firstAtOrAfter(this.t, t);
    const i = this.t[next] === t ? next : next - 1;
    return this.values[i] ?? null;
  }

  // Every second row of the older half goes.
  private thin(): void {
    const half = this.t.length >> 1;
    const keep = (_: unknown, i: number) => i >= half || i % 2 === 0;
    this.t = this.t.filter(keep);
    this.values = this.values.filter(keep);
  }
}

export function firstAtOrAfter(times: number[], t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

export const kViolation = 'constraint violation'; // of every frame; not a watched channel

export class Histories {
  readonly channels = new Map<string, Channel>();
  readonly version = signal(0);

  channel(name: string): Channel {
    let channel = this.channels.get(name);
    if (!channel) this.channels.set(name, (channel = new Channel()));
    return channel;
  }

  append(frame: Frame, watches: Watch[]): void {
    watches.forEach((watch, i) => this.channel(watch.name).append(frame.t, frame.values[i] ?? NaN));
    this.channel(kViolation).append(frame.t, frame.positionViolation);
    this.version.value++;
  }

  replace(name: string, t: number[], values: Value[]): void {
    this.channel(name).replace(t, values);
    this.version.value++;
  }
}

export type Columns = [number[], ...(Value | undefined)[][]];

// Channels on one axis of time from `from` on, as uPlot takes them: undefined where one has no row, null for a hole.
export function joined(channels: Channel[], from = -Infinity): Columns {
  const parts = channels.map((channel) => {
    const start = firstAtOrAfter(channel.t, from);
    return { t: channel.t.slice(start), values: channel.values.slice(start) };
  });
  const first = parts[0];
  if (!first) return [[]];
  if (parts.every((part) => sameTimes(part.t, first.t))) return [first.t, ...parts.map((part) => part.values)];
  const times = [...new Set(parts.flatMap((part) => part.t))].sort((a, b) => a - b);
  return [times, ...parts.map((part) => spread(part, times))];
}

function sameTimes(a: number[], b: number[]): boolean {
  const middle = a.length >> 1;
  return a.length === b.length && a[0] === b[0] && a[middle] === b[middle] && a[a.length - 1] === b[b.length - 1];
}

function spread(part: { t: number[]; values: Value[] }, times: number[]): (Value | undefined)[] {
  let i = 0;
  return times.map((t) => (part.t[i] === t ? part.values[i++] : undefined));
}
