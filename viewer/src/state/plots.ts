import { effect, signal } from '@preact/signals';
import type { Model } from '../protocol/messages';
import { Channel, kViolation, type Value } from './histories';
import { ask, command, connectionState, frame, histories, model, timeline, watches } from './store';

// Which channels are drawn where; fetches what was before this page was open and what other branches were.

export interface Plot {
  id: string;
  title: string;
  names: string[];
  fixed: boolean; // cannot be closed
  logarithmic?: boolean;
}

export const plots = signal<Plot[]>([]);
export const plotWindow = signal(20); // [s]; Infinity: everything
export const cursorTime = signal<number | null>(null);
export const compared = signal<Map<number, Map<string, Channel>>>(new Map());

const kEnergy = ['kinetic', 'gravitational', 'elastic', 'total', 'residual'];

let scene = '';
effect(() => {
  const m = model.value;
  if (!m || connectionState.value !== 'open') return;
  const energies = kEnergy.map((part) => ({ name: `energy.${part}`, expr: `energy.${part}`, unit: 'J' }));
  void watch(energies);
  if (m.name === scene) return;
  scene = m.name;
  plots.value = [...outputPlots(m), energyPlot(), violationPlot()];
});

function energyPlot(): Plot {
  return { id: 'energy', title: 'Energy balance', names: kEnergy.map((part) => `energy.${part}`), fixed: true };
}

function violationPlot(): Plot {
  return { id: 'violation', title: 'Constraint violation', names: [kViolation], fixed: true, logarithmic: true };
}

// The scene's outputs, one plot per unit, the first two units.
function outputPlots(m: Model): Plot[] {
  const units = [...new Set(m.outputs.map((output) => output.unit))].slice(0, 2);
  return units.map((unit) => {
    const names = m.outputs.filter((output) => output.unit === unit).map((output) => output.name).slice(0, 6);
    return { id: `outputs ${unit}`, title: names.length > 2 ? `Outputs [${unit || '–'}]` : names.join(', '), names, fixed: false };
  });
}

interface Wanted {
  name: string;
  expr: string;
  unit: string;
}

// Asks for channels that are not watched yet.
export async function watch(channels: Wanted[]): Promise<boolean> {
  const known = new Set(watches.value.map((w) => w.name));
  const missing = channels.filter((channel) => !known.has(channel.name));
  if (missing.length === 0) return true;
  if (!(await command('watch', { channels: missing }))) return false;
  scheduleRefresh();
  return true;
}

// False where the channels are refused.
export async function addPlot(title: string, channels: Wanted[]): Promise<boolean> {
  if (!(await watch(channels))) return false;
  const names = channels.map((channel) => channel.name);
  const id = names.join(' ');
  if (!plots.value.some((plot) => plot.id === id)) plots.value = [{ id, title, names, fixed: false }, ...plots.value];
  return true;
}

export function removePlot(id: string): void {
  plots.value = plots.value.filter((plot) => plot.id !== id || plot.fixed);
}

// A variable as an expression says it: names other than letters, digits and underscores need quotes.
export function variableText(name: string): string {
  return /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(\[\d+\])?$/.test(name) ? name : `'${name}'`;
}

// What to watch for a text that someone typed: a sensor by its name, or an expression.
export function wantedFor(text: string): { name: string; expr: string; unit: string } {
  return model.value?.sensors?.find((sensor) => sensor.name === text) ?? { name: text, expr: text, unit: '' };
}

const kMostNamed = 30; // parts of a kind whose variables are offered

// Names to choose from, as docs/guide/variables.md has them.
export function variableNames(m: Model): string[] {
  const of = (family: string, parts: { name: string }[], quantities: string[]) =>
    parts.slice(0, kMostNamed).flatMap(({ name }) => quantities.map((quantity) => variableText(`${family}.${name}.${quantity}`)));
  const axes = (...families: string[]) => families.flatMap((family) => ['x', 'y', 'z'].map((axis) => family + axis));
  const names = [
    ...(m.sensors ?? []).slice(0, 10 * kMostNamed).map((sensor) => sensor.name),
    ...of('point', m.points, axes('', 'v', 'a', 'w', 'vb', 'wb', 'imu_a', 'load_f', 'load_n')),
    ...of('point', m.points.filter((point) => point.has_zone), ['touch']),
    ...m.joints.slice(0, kMostNamed).flatMap((joint) => joint.dofs.flatMap((dof) => (dof.q ? [dof.q, dof.u] : [dof.u]))),
    ...of('joint', m.joints, axes('f', 'n')),
    ...of('body', m.bodies, axes('', 'v', 'a', 'w', 'alpha', 'f', 'n', 'contact_f')),
    ...of('subtree', m.bodies, axes('', 'v', 'l')),
    ...of('spring', m.springs, ['length', 'rate', 'force']),
    ...of('tendon', m.tendons, ['length', 'rate', 'tension']),
    ...of('motor', m.motors, ['force']),
    ...of('actuator', m.actuators, ['control', 'force']),
    ...of('controller', m.controllers, ['output']),
    ...['dampers', 'dissipated', 'motors', 'applied', 'commands', 'stabilization'].map((part) => `energy.${part}`),
    ...axes('com.', 'com.v', 'momentum.p', 'momentum.l'),
    ...m.parameters.slice(0, 10 * kMostNamed).map((p) => p.path),
  ];
  return [...new Set(names)];
}

interface History {
  t: number[];
  values: Record<string, Value[]>;
}

async function fetchHistory(branch: number): Promise<History> {
  const names = watches.value.filter((w) => !w.error).map((w) => w.name);
  const answer = await ask('history', { names, branch, rows: 4000 });
  return answer.result as unknown as History;
}

async function refresh(): Promise<void> {
  const branch = frame.value?.branch;
  if (branch === undefined || watches.value.length === 0) return;
  try {
    const { t, values } = await fetchHistory(branch);
    for (const [name, column] of Object.entries(values)) {
      const channel = histories.channel(name);
      const now = frame.value?.t ?? 0;
      // Rows that came while the question was under way are denser: they stay.
      const last = t.length > 0 ? t[t.length - 1]! : -Infinity;
      const newer = channel.t.flatMap((time, i) => (time > last && time <= now ? [{ time, value: channel.values[i]! }] : []));
      histories.replace(name, [...t, ...newer.map((row) => row.time)], [...column, ...newer.map((row) => row.value)]);
    }
  } catch {
    // a lost connection is shown elsewhere; the next one asks again
  }
}

let timer: ReturnType<typeof setTimeout> | undefined;
function scheduleRefresh(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), 250);
}

// Where time jumps, or another branch is looked at, the past is another one.
let last: { t: number; branch: number } | null = null;
effect(() => {
  const now = frame.value;
  if (!now) return;
  const jumped = !last || now.branch !== last.branch || now.t < last.t || now.t > last.t + 1 + 2 * now.speed;
  last = { t: now.t, branch: now.branch };
  if (jumped) scheduleRefresh();
});

export async function toggleCompared(branch: number): Promise<void> {
  const next = new Map(compared.value);
  if (next.delete(branch)) {
    compared.value = next;
    return;
  }
  try {
    const { t, values } = await fetchHistory(branch);
    const channels = new Map<string, Channel>();
    for (const [name, column] of Object.entries(values)) {
      const channel = new Channel();
      channel.replace(t, column);
      channels.set(name, channel);
    }
    compared.value = next.set(branch, channels);
  } catch {
    return;
  }
}

// A branch that is looked at is drawn already.
effect(() => {
  const branch = timeline.value?.branch;
  if (branch === undefined || !compared.peek().has(branch)) return;
  const next = new Map(compared.peek());
  next.delete(branch);
  compared.value = next;
});
