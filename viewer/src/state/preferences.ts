import { effect, signal, type Signal } from '@preact/signals';

// What a person likes stays in the browser, where it lets us.

function remembered<T>(key: string, initial: T): Signal<T> {
  let value = initial;
  try {
    const text = localStorage.getItem(`lipkin.${key}`);
    if (text !== null) value = JSON.parse(text) as T;
  } catch {
    // private windows may refuse storage: the initial value serves
  }
  const kept = signal(value);
  effect(() => {
    try {
      localStorage.setItem(`lipkin.${key}`, JSON.stringify(kept.value));
    } catch {
      // as above
    }
  });
  return kept;
}

const prefersLight = typeof matchMedia === 'function' && matchMedia('(prefers-color-scheme: light)').matches;
export const theme = remembered<'dark' | 'light'>('theme', prefersLight ? 'light' : 'dark');
const bare = typeof location === 'object' ? new URLSearchParams(location.search).get('bare') : null;
export const isBare = bare !== null;
export const isFilm = bare === 'film'; // many pictures: their shadows are coarser
export const hintSeen = remembered('hint-seen', false);

export const show = {
  grid: remembered('show.grid', true),
  shadows: remembered('show.shadows', true),
  joints: remembered('show.joints', true),
  frames: remembered('show.frames', false),
  contacts: remembered('show.contacts', true),
  traces: remembered('show.traces', true),
  springs: remembered('show.springs', true),
  names: remembered('show.names', false),
};
export type ShowName = keyof typeof show;

export const panels = {
  tree: remembered('panel.tree', true),
  inspector: remembered('panel.inspector', true),
  plots: remembered('panel.plots', true),
};
