import { effect, signal } from '@preact/signals';
import { defaultTraces } from '../view/traces';
import { model } from './store';

// Points whose path is drawn; for a new scene those that its outputs watch.
export const tracedPoints = signal<string[] | null>(null);

let scene = '';
effect(() => {
  const m = model.value;
  if (!m || m.name === scene) return;
  scene = m.name;
  tracedPoints.value = defaultTraces(m);
});

export function toggleTrace(point: string): void {
  const now = tracedPoints.value ?? [];
  tracedPoints.value = now.includes(point) ? now.filter((name) => name !== point) : [...now, point];
}
