import { render } from 'preact';
import { connect } from './state/store';
import './state/plots';
import { theme } from './state/preferences';
import { App } from './ui/app';
import { viewport } from './ui/actions';
import { listenToKeys } from './ui/keys';

document.documentElement.dataset.theme = theme.value;
render(<App />, document.getElementById('app')!);
listenToKeys();
connect(window.location);

// For scripts that drive the page: where things lie in the window [px].
Object.assign(window, {
  lipkin: {
    placeOf: (kind: 'body' | 'joint', name: string) => viewport.view?.placeInWindow(kind, name) ?? null,
    picture: () => viewport.view?.picture() ?? '',
    placeOfHandle: (owner: string, role: string) => viewport.view?.handleInWindow(owner, role) ?? null,
  },
});
