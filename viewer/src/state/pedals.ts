import type { Model } from '../protocol/messages';

// From keys and sticks to the inputs of a vehicle: throttle, brake, steer. Positive steer is to the left.

export const kControlNames = ['throttle', 'brake', 'steer'] as const;
export type ControlName = (typeof kControlNames)[number];
export type Controls = Record<ControlName, number>;

export interface Wishes {
  forward: number; // 0 to 1
  back: number; // 0 to 1
  left: number; // -1 to 1
}

export const kNoWishes: Wishes = { forward: 0, back: 0, left: 0 };
export const kHandsOff: Controls = { throttle: 0, brake: 0, steer: 0 };

// As KeyboardEvent.code: where keys lie, whatever the letters on them.
const keys: Record<string, (wishes: Wishes) => void> = {
  ArrowUp: (w) => (w.forward = 1), KeyW: (w) => (w.forward = 1),
  ArrowDown: (w) => (w.back = 1), KeyS: (w) => (w.back = 1),
  ArrowLeft: (w) => (w.left += 1), KeyA: (w) => (w.left += 1),
  ArrowRight: (w) => (w.left -= 1), KeyD: (w) => (w.left -= 1),
};

export const isDrivingKey = (code: string) => code in keys;

export function wishesOfKeys(pressed: Iterable<string>): Wishes {
  const wishes = { ...kNoWishes };
  for (const code of pressed) keys[code]?.(wishes);
  return { ...wishes, left: clamp(wishes.left, -1, 1) };
}

export interface Pad {
  axes: readonly number[];
  buttons: readonly { value: number }[];
}

const kDeadZone = 0.08; // of a stick that rests

// The standard mapping: left stick, right and left trigger (w3c.github.io/gamepad, figure 1).
export function wishesOfPad({ axes, buttons }: Pad): Wishes {
  const stick = axes[0] ?? 0;
  const left = Math.abs(stick) < kDeadZone ? 0 : (-Math.sign(stick) * (Math.abs(stick) - kDeadZone)) / (1 - kDeadZone);
  return { forward: buttons[7]?.value ?? 0, back: buttons[6]?.value ?? 0, left: clamp(left, -1, 1) };
}

export function both(a: Wishes, b: Wishes): Wishes {
  return { forward: Math.max(a.forward, b.forward), back: Math.max(a.back, b.back), left: clamp(a.left + b.left, -1, 1) };
}

const kRolling = 0.5; // faster than this a pedal against the motion brakes [m/s]

// The pedal against the motion brakes; at rest it drives that way.
export function aim({ forward, back, left }: Wishes, speed: number, reverse: number): Controls {
  if (back > 0 && forward === 0) return speed > kRolling ? { throttle: 0, brake: back, steer: left } : { throttle: reverse * back, brake: 0, steer: left };
  if (forward > 0 && speed < -kRolling) return { throttle: 0, brake: forward, steer: left };
  return { throttle: back > 0 ? 0 : forward, brake: back, steer: left };
}

const kRates: Record<ControlName, { on: number; off: number }> = { throttle: { on: 3, off: 6 }, brake: { on: 4, off: 8 }, steer: { on: 2.5, off: 4 } }; // [1/s]

// Keys know all or nothing: what they ask for comes over a few tenths of a second.
export function ramped(now: Controls, to: Controls, elapsed: number): Controls {
  const next = { ...now };
  for (const name of kControlNames) {
    const releases = Math.abs(to[name]) < Math.abs(now[name]) || to[name] * now[name] < 0;
    const most = elapsed * (releases ? kRates[name].off : kRates[name].on);
    next[name] = now[name] + clamp(to[name] - now[name], -most, most);
  }
  return next;
}

export function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}

// What is driven: the heaviest body that hangs on nothing.
export function vehicleOf(m: Model): string | null {
  const names = (m.inputs ?? []).map((input) => input.name);
  if (!names.includes('throttle') && !names.includes('steer')) return null;
  const loose = m.bodies.filter((_, b) => m.joints.some((joint) => joint.child === b && joint.parent === -1 && joint.type === 'free'));
  return loose.sort((a, b) => b.mass - a.mass)[0]?.name ?? null;
}
