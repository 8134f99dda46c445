import { batch, computed, signal } from '@preact/signals';
import { Connection, CommandError, socketUrl, type ConnectionState } from '../protocol/connection';
import { Interpolator } from '../protocol/interpolation';
import type { Frame } from '../protocol/frame';
import type {
  Answer, Client, EditMessage, EventMessage, Hello, Icon, Model, Run, ServerMessage, Settings, Timeline, Watch,
} from '../protocol/messages';
import { Histories } from './histories';

// What the page knows. Signals are read by the panels; the viewport reads the interpolator once per picture.

// Parts that have nothing but parameters and plots.
export const plainKinds = ['motor', 'actuator', 'controller', 'spring', 'bushing', 'distance', 'gear', 'tyre', 'material'] as const;
export type PlainKind = (typeof plainKinds)[number];
export type ItemKind = 'body' | 'joint' | 'icon' | 'point' | 'scene' | PlainKind;
export interface Item {
  kind: ItemKind;
  name: string;
}

export type Tool = 'drag' | 'force' | 'torque' | 'motion' | 'joint' | 'measure';

export interface Notice {
  key: number;
  text: string;
  tone: 'info' | 'error';
}

export const connectionState = signal<ConnectionState>('connecting');
export const model = signal<Model | null>(null);
export const settings = signal<Settings | null>(null);
export const run = signal<Run | null>(null);
export const timeline = signal<Timeline | null>(null);
export const icons = signal<Icon[]>([]);
export const watches = signal<Watch[]>([]);
export const watchVersion = signal(0);
export const clients = signal<Client[]>([]);
export const me = signal(0);
export const role = signal<'driver' | 'watcher'>('watcher');
export const serverVersion = signal('');
export const frame = signal<Frame | null>(null); // for the panels; the picture asks the interpolator
export const notices = signal<Notice[]>([]);
export const lastEdit = signal<EditMessage | null>(null);

export const selection = signal<Item | null>(null);
export const tool = signal<Tool>('drag');
export const toolHint = signal('');
export const followed = signal<string | null>(null);
export const hovered = signal<Item | null>(null);

export const isDriver = computed(() => role.value === 'driver');
export const isPlaying = computed(() => run.value?.playing ?? false);

export const interpolator = new Interpolator();
export const histories = new Histories();

let connection: Connection | null = null;
let noticeCount = 0;

export function notify(text: string, tone: Notice['tone'] = 'info'): void {
  const key = ++noticeCount;
  notices.value = [...notices.value.slice(-3), { key, text, tone }];
  setTimeout(() => dismiss(key), tone === 'error' ? 9000 : 5000);
}

export function dismiss(key: number): void {
  notices.value = notices.value.filter((notice) => notice.key !== key);
}

export function connect(page: Location): void {
  connection = new Connection(
    { url: socketUrl(page) },
    { message: receive, frame: receiveFrame, state: (state) => (connectionState.value = state), trouble: (text) => notify(text, 'error') },
  );
  connection.open();
}

// Sends a command; a refusal is shown and answered with null.
export async function command(cmd: string, args: Record<string, unknown> = {}): Promise<Answer | null> {
  try {
    return await ask(cmd, args);
  } catch (error) {
    notify(error instanceof CommandError ? error.message : String(error), 'error');
    return null;
  }
}

// What was asked for counts at once, and until it is answered: keys come faster than answers, and what the server says in
// between is older.
let expected: Partial<Run> = {};
export async function commandExpecting(change: Partial<Run>, cmd: string, args: Record<string, unknown> = {}): Promise<void> {
  const before = run.value;
  const mine = (expected = { ...expected, ...change });
  if (before) run.value = { ...before, ...change };
  const answer = await command(cmd, args);
  if (expected !== mine) return; // something else has been asked for since
  expected = {};
  if (!answer && before && run.value) run.value = { ...run.value, playing: before.playing, speed: before.speed };
}

// Sends a command; a refusal rejects.
export function ask(cmd: string, args: Record<string, unknown> = {}): Promise<Answer> {
  return connection ? connection.send(cmd, args) : Promise.reject(new CommandError('not connected'));
}

export function select(item: Item | null): void {
  const now = selection.value;
  if (now?.kind !== item?.kind || now?.name !== item?.name) selection.value = item;
}

// The panels are told a few times a second: numbers that change faster cannot be read.
const kPanelInterval = 80; // [ms]
let panelTimer: ReturnType<typeof setTimeout> | undefined;

const frameListeners: ((next: Frame) => void)[] = [];

// Every frame, also those that come faster than pictures.
export function onFrame(listener: (next: Frame) => void): void {
  frameListeners.push(listener);
}

function receiveFrame(next: Frame): void {
  interpolator.push(next);
  for (const listener of frameListeners) listener(next);
  if (next.watchVersion === watchVersion.value) histories.append(next, watches.value);
  if (!frame.value) frame.value = next;
  panelTimer ??= setTimeout(() => {
    panelTimer = undefined;
    frame.value = interpolator.latest ?? null;
  }, kPanelInterval);
}

function receive(message: ServerMessage): void {
  batch(() => {
    switch (message.type) {
      case 'hello': return greet(message);
      case 'model':
        model.value = message.model;
        icons.value = message.icons;
        return forgetMissing();
      case 'settings': settings.value = message.settings; return;
      case 'run': run.value = { ...run.value, ...message.run, ...expected }; return;
      case 'timeline': timeline.value = message.timeline; return;
      case 'clients':
        clients.value = message.clients;
        me.value = message.you;
        role.value = message.role;
        return;
      case 'watches': return setWatches(message.version, message.watches);
      case 'follow': followed.value = message.body; return;
      case 'edit': lastEdit.value = message; return reportEdit(message);
      case 'event': return report(message);
      case 'answer': return;
    }
  });
}

function greet(hello: Hello): void {
  me.value = hello.client;
  role.value = hello.role;
  clients.value = hello.clients;
  serverVersion.value = hello.version;
  model.value = hello.model;
  settings.value = hello.settings;
  run.value = hello.run;
  timeline.value = hello.timeline;
  icons.value = hello.icons;
  if (Array.isArray(hello.watches)) setWatches(0, hello.watches);
  else setWatches(hello.watches.version, hello.watches.watches);
  forgetMissing();
  document.title = `${hello.model.name} · Lipkin`;
}

function setWatches(version: number, list: Watch[]): void {
  watches.value = list;
  watchVersion.value = version;
}

// What was selected may have been deleted.
function forgetMissing(): void {
  const item = selection.value;
  if (item && !exists(item)) selection.value = null;
  const body = followed.value;
  if (body && !model.value?.bodies.some((b) => b.name === body)) followed.value = null;
}

function exists(item: Item): boolean {
  const m = model.value;
  if (!m || item.kind === 'scene') return true;
  const lists = { body: m.bodies, joint: m.joints, icon: icons.value, point: m.points };
  const { kind, name } = item;
  return kind in lists ? lists[kind as keyof typeof lists].some((part) => part.name === name) : namesOf(m, kind as PlainKind).includes(name);
}

// All parts of a kind, also those that cannot be seen: their parameters stand in a group with their name.
export function namesOf(m: Model, kind: PlainKind): string[] {
  if (kind === 'controller') return m.controllers.map((controller) => controller.name);
  if (kind === 'motor') return m.motors.map((motor) => motor.name).filter((name) => !icons.value.some((icon) => icon.name === name)); // icons are apart
  const groups = m.groups ?? [...new Set(m.parameters.map((p) => p.group))];
  return groups.filter((group) => group.startsWith(`${kind} `)).map((group) => group.slice(kind.length + 1));
}

function reportEdit(edit: EditMessage): void {
  if (edit.line.cmd === 'set_freedoms' && typeof edit.energy_jump === 'number')
    notify(`${String(edit.line.args?.joint ?? 'joint')} changed; energy jump ${edit.energy_jump.toPrecision(3)} J`);
}

function report(event: EventMessage): void {
  if (event.event === 'broke') notify(`${event.joint} broke at t = ${event.t?.toFixed(3)} s`);
  else if (event.event === 'failed') notify(event.message ?? 'the simulation stopped', 'error');
  else if (event.event === 'end') notify('the end of the recording');
  else if (event.event === 'saved') notify(event.path ? `saved ${event.path}` : 'saved');
  else if (event.message) notify(event.message, 'error');
}
