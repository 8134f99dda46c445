import { computed, effect, signal } from '@preact/signals';
import type { Frame } from '../protocol/frame';
import type { Input } from '../protocol/messages';
import { aim, both, clamp, isDrivingKey, kControlNames, kHandsOff, ramped, vehicleOf, wishesOfKeys, wishesOfPad, kNoWishes, type ControlName, type Controls } from './pedals';
import { watch } from './plots';
import { ask, connectionState, followed, frame, isDriver, isPlaying, model, onFrame, watches } from './store';

// Driving a vehicle with keys or a gamepad. Whoever presses a pedal has the wheel until everything is released; then what
// a script sets counts again.

const kTick = 50; // between two looks at keys and sticks [ms]
const kSmallest = 0.01; // change of an input that is worth a command
const kPatience = 400; // until an input that somebody else has set is set again [ms]

export const inputs = computed<Input[]>(() => model.value?.inputs ?? []);
export const vehicle = computed(() => (model.value ? vehicleOf(model.value) : null));
export const keysDrive = signal(true);
export const hasPad = signal(false);
export const forwardSpeed = signal(0); // [m/s]

const pressed = new Set<string>();
let controls: Controls = kHandsOff;
let sent: Partial<Controls> = {};
let sentAt = 0;
let lastTick = 0;

const channelOf = (name: string) => `input.${name}`;

// What the server has.
export function inputValue(name: string): number {
  const i = watches.value.findIndex((w) => w.name === channelOf(name));
  const input = inputs.value.find((other) => other.name === name);
  return (i >= 0 ? frame.value?.values[i] : undefined) ?? input?.value ?? 0;
}

export function setInput(name: string, value: number): void {
  // A refusal is shown by the next answer to something a person did; twenty a second would hide everything else.
  ask('set', { path: channelOf(name), value }).catch(() => undefined);
}

// True where the key is one that drives.
export function drivingKeyDown(event: KeyboardEvent): boolean {
  if (vehicle.value === null || !keysDrive.value || !isDriver.value || !isDrivingKey(event.code)) return false;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
  const target = event.target as HTMLElement;
  const isArrow = event.code.startsWith('Arrow');
  if (isArrow && target !== document.body && target.id !== 'picture') return false; // lists and sliders use them
  pressed.add(event.code);
  return true;
}

function padWishes() {
  const pads = typeof navigator.getGamepads === 'function' ? [...navigator.getGamepads()] : [];
  const pad = pads.find((each) => each?.connected);
  hasPad.value = Boolean(pad);
  return pad ? wishesOfPad(pad) : kNoWishes;
}

function bounded(name: ControlName, value: number): number {
  const input = inputs.value.find((other) => other.name === name);
  return Number(clamp(value, input?.min ?? -1, input?.max ?? 1).toFixed(3));
}

function send(now: number): void {
  const late = now - sentAt > kPatience;
  for (const name of kControlNames) {
    if (!inputs.value.some((input) => input.name === name)) continue;
    const value = bounded(name, controls[name]);
    const before = sent[name] ?? inputValue(name);
    const isNew = Math.abs(value - before) >= kSmallest || (value !== before && value === bounded(name, Math.round(value)));
    if (!isNew && !(late && Math.abs(value - inputValue(name)) > kSmallest)) continue;
    setInput(name, value);
    sent[name] = value;
    sentAt = now;
  }
}

function tick(): void {
  const now = performance.now();
  const elapsed = Math.min(0.2, (now - lastTick) / 1000);
  lastTick = now;
  if (vehicle.value === null || !isDriver.value || connectionState.value !== 'open') return void pressed.clear();
  const pad = padWishes();
  if (!isPlaying.value) return;
  const reverse = inputs.value.find((input) => input.name === 'throttle')?.min ?? 0;
  const wished = both(wishesOfKeys(pressed), pad);
  const goal = aim(wished, forwardSpeed.value, reverse);
  const isIdle = kControlNames.every((name) => goal[name] === 0 && controls[name] === 0);
  if (isIdle) {
    if (Object.keys(sent).length > 0) send(now);
    sent = {};
    return;
  }
  controls = ramped(controls, goal, elapsed);
  send(now);
}

// Along the x axis of the vehicle, from where it was a moment ago.
let before: { t: number; p: number[] } | null = null;
function measureSpeed(next: Frame): void {
  const b = model.value?.bodies.findIndex((body) => body.name === vehicle.value) ?? -1;
  if (b < 0 || next.poses.length < 7 * (b + 1)) return;
  const [x, y, z, qw, qx, qy, qz] = next.poses.subarray(7 * b, 7 * b + 7) as unknown as number[];
  const p = [x!, y!, z!];
  const elapsed = before ? next.t - before.t : -1;
  if (elapsed >= 0 && elapsed < 0.05) return;
  if (before && elapsed > 0 && elapsed < 1) {
    const along = [1 - 2 * (qy! * qy! + qz! * qz!), 2 * (qx! * qy! + qw! * qz!), 2 * (qx! * qz! - qw! * qy!)];
    forwardSpeed.value = along.reduce((sum, a, k) => sum + (a * (p[k]! - before!.p[k]!)) / elapsed, 0);
  }
  before = { t: next.t, p };
}

export function listenToDriver(): void {
  window.addEventListener('keyup', (event) => pressed.delete(event.code));
  window.addEventListener('blur', () => pressed.clear());
  onFrame(measureSpeed);
  setInterval(tick, kTick);
  let scene = '';
  effect(() => {
    const m = model.value;
    if (!m || inputs.value.length === 0 || connectionState.value !== 'open') return;
    void watch(inputs.value.map(({ name, unit }) => ({ name: channelOf(name), expr: channelOf(name), unit })));
    if (m.name === scene) return;
    scene = m.name;
    followed.value ??= vehicle.value; // it leaves the picture within seconds
  });
}
