import { render } from 'preact';
import type { Vec3 } from './protocol/messages';
import { connect, interpolator, settings } from './state/store';
import { compared } from './state/plots';
import { listenToDriver } from './state/driving';
import { isBare, theme } from './state/preferences';
import { App } from './ui/app';
import { methodOf, stepped, viewport } from './ui/actions';
import { listenToKeys } from './ui/keys';

document.documentElement.dataset.theme = theme.value;
render(<App />, document.getElementById('app')!);
listenToKeys();
listenToDriver();
connect(window.location);

// The picture alone, for reports.
if (isBare) document.documentElement.dataset.bare = '';

// For scripts that drive the page: where things lie in the window [px], time [s], pictures as data URLs.
Object.assign(window, {
  lipkin: {
    placeOf: (kind: 'body' | 'joint', name: string) => viewport.view?.placeInWindow(kind, name) ?? null,
    picture: (type?: string) => viewport.view?.picture(type) ?? '',
    pictureAndStep: async (type: string, count: number) => {
      const next = stepped(count); // under way while the picture of now is drawn
      const picture = viewport.view?.picture(type) ?? '';
      return { picture, t: await next };
    },
    settledPoses: () => (viewport.view?.isSettled ? [...(interpolator.latest?.poses ?? [])] : null),
    time: () => interpolator.latest?.t ?? null,
    method: () => methodOf(settings.value!),
    step: stepped,
    look: (direction: Vec3, zoom: number) => viewport.view?.look(direction, zoom),
    overlaid: (name: string) => [...compared.value].map(([branch, channels]) => ({ branch, ...channels.get(name) })),
    placeOfHandle: (owner: string, role: string) => viewport.view?.handleInWindow(owner, role) ?? null,
  },
});
