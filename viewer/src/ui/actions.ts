import { signal } from '@preact/signals';
import { ask, command, commandExpecting, followed, frame, icons, interpolator, isDriver, isPlaying, model, run, select, selection, tool, type Item } from '../state/store';
import type { Settings } from '../protocol/messages';
import type { Viewport } from '../view/viewport';
import type { Gestures, KeyboardGrab } from '../view/gestures';

// What buttons and keys do.

export const viewport: { view: Viewport | null; gestures: Gestures | null; grab: KeyboardGrab | null } = {
  view: null, gestures: null, grab: null,
};
export const dialog = signal<'help' | 'save' | null>(null);

export const speeds = [0.1, 0.25, 0.5, 1, 2, 5, 10];

export function togglePlaying(): void {
  if (!isDriver.value) return;
  const playing = !isPlaying.value;
  void commandExpecting({ playing }, playing ? 'play' : 'pause');
}

export function stepOnce(): void {
  void command('step', { count: 1 });
}

// Takes steps and returns the time when the picture has them.
export async function stepped(count: number): Promise<number> {
  if (viewport.view) viewport.view.drawsWhenAsked = true;
  const { step, t } = await ask('step', { count });
  while ((interpolator.latest?.step ?? -1) < (step ?? 0)) await new Promise((resolve) => setTimeout(resolve, 2));
  return interpolator.latest?.t ?? t ?? 0;
}

export function methodOf({ dt, duration, stepper }: Settings): { dt: number; duration: number; adaptive: boolean } {
  return { dt, duration: duration ?? 0, adaptive: ['dopri5', 'adams', 'bdf'].includes(stepper) };
}

export function stepBack(): void {
  const step = frame.value?.step ?? 0;
  if (isPlaying.value) void command('pause');
  if (step > 0) void command('seek', { step: step - 1 });
}

export function changeSpeed(direction: number): void {
  const now = run.value?.speed ?? 1;
  const next = direction > 0 ? speeds.find((s) => s > now + 1e-9) : [...speeds].reverse().find((s) => s < now - 1e-9);
  if (next !== undefined && isDriver.value) setSpeed(next);
}

export function setSpeed(factor: number): void {
  void commandExpecting({ speed: factor }, 'speed', { factor });
}

export function undo(): void {
  void command('undo');
}

export function redo(): void {
  void command('redo');
}

export function toggleFollow(): void {
  const item = selection.value;
  const body = item?.kind === 'body' ? item.name : null;
  followed.value = followed.value === body ? null : body;
}

export function deleteSelected(): void {
  const item = selection.value;
  if (!isDriver.value) return;
  if (item?.kind === 'icon') void command('delete_icon', { name: item.name });
  else if (item?.kind === 'joint') void command('delete_joint', { joint: item.name });
}

export function escape(): void {
  if (dialog.value) dialog.value = null;
  else if (viewport.grab?.active) viewport.grab.end();
  else if (tool.value !== 'drag') {
    viewport.gestures?.cancel();
    tool.value = 'drag';
  } else if (viewport.view && viewport.view.measured.length > 0) {
    viewport.view.measured = [];
    viewport.view.invalidate();
  } else select(null);
}

// A force or a torque on the selected body, without the mouse: along up, about its joint's axis.
export async function addIconOn(kind: 'force' | 'torque', body: string): Promise<void> {
  const m = model.value;
  const view = viewport.view;
  const item = m?.bodies.find((b) => b.name === body);
  if (!m || !view || !item) return;
  const size = Number(view.scale.force.toPrecision(2));
  const along = kind === 'force' ? m.up : [0, 0, 1];
  const vector = along.map((x) => x * (kind === 'force' ? size : size * view.scale.length));
  const args = { body, point: item.com, [kind]: vector.map((x) => Number(x.toPrecision(3))) };
  const answer = await command(kind === 'force' ? 'apply_force' : 'apply_torque', args);
  if (answer?.result?.name) select({ kind: 'icon', name: String(answer.result.name) });
}

// A tool used on a part by its name; true where it was.
export function chooseForTool(item: Item): boolean {
  if (tool.value === 'drag' || !model.value) return false;
  if (tool.value === 'joint' || tool.value === 'measure') return viewport.gestures?.choose(item) ?? false;
  const fits = item.kind === (tool.value === 'motion' ? 'joint' : 'body');
  if (!fits || !isDriver.value) return false;
  if (tool.value === 'motion') void addMotionOn(item.name, 0);
  else void addIconOn(tool.value, item.name);
  tool.value = 'drag';
  return true;
}

export async function addMotionOn(joint: string, dof: number): Promise<void> {
  const answer = await command('apply_motion', { joint, dof, motion: 'velocity', value: 1 });
  if (answer?.result?.name) select({ kind: 'icon', name: String(answer.result.name) });
}

export function iconNamed(name: string) {
  return icons.value.find((icon) => icon.name === name);
}

export function download(name: string, content: string | Blob): void {
  const url = typeof content === 'string' && content.startsWith('data:')
    ? content
    : URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  if (url.startsWith('blob:')) setTimeout(() => URL.revokeObjectURL(url), 1000);
}
