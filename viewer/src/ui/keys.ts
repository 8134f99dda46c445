import { panels, theme } from '../state/preferences';
import { drivingKeyDown, keysDrive } from '../state/driving';
import { tool } from '../state/store';
import {
  changeSpeed, deleteSelected, dialog, escape, redo, stepBack, stepOnce, toggleFollow, togglePlaying, undo, viewport,
} from './actions';

// The keyboard's way to everything; help.tsx lists the same table.

export interface KeyBinding {
  keys: string; // as KeyboardEvent.key, with Ctrl+ or Shift+ before it
  what: string;
  run: () => void;
}

const toolKey = (name: typeof tool.value) => () => (tool.value = tool.value === name ? 'drag' : name);

export const bindings: KeyBinding[] = [
  { keys: ' ', what: 'Play or pause', run: togglePlaying },
  { keys: '.', what: 'One step forward', run: stepOnce },
  { keys: ',', what: 'One step back', run: stepBack },
  { keys: '[', what: 'Slower', run: () => changeSpeed(-1) },
  { keys: ']', what: 'Faster', run: () => changeSpeed(1) },
  { keys: 'Ctrl+z', what: 'Undo', run: undo },
  { keys: 'Ctrl+y', what: 'Redo', run: redo },
  { keys: 'Ctrl+Shift+z', what: 'Redo', run: redo },
  { keys: 'Ctrl+s', what: 'Save the scene', run: () => (dialog.value = 'save') },
  { keys: 'd', what: 'Hand: take hold of bodies', run: () => (tool.value = 'drag') },
  { keys: 'g', what: 'Take hold of the selected body; arrows move it, Enter lets go', run: () => viewport.grab?.begin() },
  { keys: 'f', what: 'Force tool', run: toolKey('force') },
  { keys: 't', what: 'Torque tool', run: toolKey('torque') },
  { keys: 'm', what: 'Motion tool', run: toolKey('motion') },
  { keys: 'j', what: 'Joint tool', run: toolKey('joint') },
  { keys: 'r', what: 'Ruler', run: toolKey('measure') },
  { keys: 'c', what: 'Arrows and W A S D drive the vehicle, or not', run: () => (keysDrive.value = !keysDrive.value) },
  { keys: 'Delete', what: 'Delete the selected icon or joint', run: deleteSelected },
  { keys: 'Home', what: 'Fit the view', run: () => viewport.view?.fit() },
  { keys: 'l', what: 'Follow the selected body, or stop', run: toggleFollow },
  { keys: '/', what: 'Search the model', run: () => focus('#tree-search') },
  { keys: 'v', what: 'To the picture', run: () => focus('#picture') },
  { keys: 'b', what: 'Show or hide the model tree', run: () => (panels.tree.value = !panels.tree.value) },
  { keys: 'i', what: 'Show or hide the inspector', run: () => (panels.inspector.value = !panels.inspector.value) },
  { keys: 'p', what: 'Show or hide the plots', run: () => (panels.plots.value = !panels.plots.value) },
  { keys: 'Shift+T', what: 'Dark or light', run: () => (theme.value = theme.value === 'dark' ? 'light' : 'dark') },
  { keys: '?', what: 'This help', run: () => (dialog.value = dialog.value === 'help' ? null : 'help') },
  { keys: 'Escape', what: 'Let go, back to the hand, select nothing', run: escape },
];

function focus(selector: string): void {
  const element = document.querySelector<HTMLElement>(selector);
  element?.focus();
  if (element instanceof HTMLInputElement) element.select();
}

export function nameOf(event: KeyboardEvent): string {
  const control = event.ctrlKey || event.metaKey;
  const letter = /^[a-zA-Z]$/.test(event.key);
  const shift = event.shiftKey && letter ? 'Shift+' : '';
  const key = letter && (control || !event.shiftKey) ? event.key.toLowerCase() : event.key;
  return `${control ? 'Ctrl+' : ''}${shift}${key}`;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

// Keys that buttons, links and lists use themselves.
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (event.key === ' ') return target.matches('button, summary, [role=treeitem], [role=option]');
  if (event.key === 'Home') return target.matches('[role=slider], [role=treeitem]');
  return false;
}

const arrows: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

function moveInPicture(event: KeyboardEvent): boolean {
  const { view, grab } = viewport;
  const arrow = arrows[event.key];
  if (grab?.active) {
    if (arrow) grab.move(...arrow);
    else if (event.key === 'Enter') grab.end();
    else return false;
    return true;
  }
  if (!view || (event.target as HTMLElement).id !== 'picture') return false;
  if (arrow && event.shiftKey) view.camera.pan(0.05 * arrow[0], 0.05 * arrow[1]);
  else if (arrow) view.camera.rotate(-0.08 * arrow[0], 0.08 * arrow[1]);
  else if (event.key === '+' || event.key === '=') view.camera.zoom(0.9);
  else if (event.key === '-') view.camera.zoom(1.1);
  else return false;
  view.touched();
  return true;
}

export function listenToKeys(): void {
  window.addEventListener('keydown', (event) => {
    const name = nameOf(event);
    if (isTyping(event.target) && !name.startsWith('Ctrl+') && event.key !== 'Escape') return;
    if (isTyping(event.target) && (name === 'Ctrl+z' || name === 'Ctrl+y')) return;
    if (isTaken(event)) return;
    if (!viewport.grab?.active && dialog.value === null && drivingKeyDown(event)) return event.preventDefault();
    if (moveInPicture(event)) return event.preventDefault();
    const binding = bindings.find((b) => b.keys === name);
    if (!binding) return;
    event.preventDefault();
    binding.run();
  });
}
