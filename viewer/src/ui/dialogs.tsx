import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Answer } from '../protocol/messages';
import { ask, command, dismiss, model, notices, notify, serverVersion } from '../state/store';
import { dialog, download } from './actions';
import { bindings, type KeyBinding } from './keys';
import { IconButton } from './glyph';

export function Dialogs() {
  if (dialog.value === 'help') return <Help />;
  if (dialog.value === 'save') return <Save />;
  return null;
}

function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => element.current!.showModal(), []);
  return (
    <dialog ref={element} aria-label={title} onClose={() => (dialog.value = null)}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <IconButton glyph="close" label="Close" onClick={() => (dialog.value = null)} />
      </div>
      {children}
    </dialog>
  );
}

const mouse: [string, string][] = [
  ['Drag a part', 'pull it with a spring while it runs; pose the mechanism while paused'],
  ['Drag beside it', 'turn the view; also with the right button'],
  ['Shift or middle button', 'move the view'],
  ['Wheel', 'zoom'],
  ['Click', 'select a part or a joint'],
  ['Double click', 'turn the view about this point'],
  ['Arrow ends', 'take a force, torque or limit by its white handle'],
];

const kBesideTheMouse = 9; // keys in the first column
const shownKey = (keys: string) => (keys === ' ' ? 'Space' : keys.replace(/(^|\+)([a-z])$/, (_, plus: string, letter: string) => plus + letter.toUpperCase()));

function Keys({ of }: { of: KeyBinding[] }) {
  return <>{of.map((b) => <div key={b.keys}><dt><kbd>{shownKey(b.keys)}</kbd></dt><dd>{b.what}</dd></div>)}</>;
}

function Help() {
  return (
    <Dialog title="Keys and mouse">
      <div class="help">
        <dl>{mouse.map(([name, what]) => <div key={name}><dt>{name}</dt><dd>{what}</dd></div>)}
          <div><dt>Arrows, + −</dt><dd>in the picture: turn and zoom; with Shift: move</dd></div>
          <div><dt>Enter in the tree</dt><dd>selects; with a tool chosen, uses it there</dd></div>
          <Keys of={bindings.slice(0, kBesideTheMouse)} />
        </dl>
        <dl><Keys of={bindings.slice(kBesideTheMouse)} /></dl>
      </div>
      <p class="about">Lipkin {serverVersion.value}</p>
    </Dialog>
  );
}

// What the scene has no words for.
function tellLost(answer: Answer): void {
  const lost = (answer.result?.lost ?? []) as string[];
  if (lost.length > 0) notify(`in the saved scene ${lost.join('; ')}`);
}

function Save() {
  const [path, setPath] = useState(`${model.value?.name ?? 'scene'}-edited.yaml`);
  const save = async () => {
    const answer = await command('save', { path });
    if (!answer) return;
    notify(`saved ${path}`);
    tellLost(answer);
    dialog.value = null;
  };
  const fetchScene = async () => {
    try {
      const answer = await ask('save');
      download(path.split('/').pop() ?? 'scene.yaml', String(answer.result?.text ?? ''));
      tellLost(answer);
      dialog.value = null;
    } catch (error) {
      notify(String(error), 'error');
    }
  };
  return (
    <Dialog title="Save the edited scene">
      <form class="save" onSubmit={(event) => (event.preventDefault(), void save())}>
        <label for="save-path">File, below the folder the program was started in</label>
        <input id="save-path" type="text" value={path} autofocus spellcheck={false} onInput={(event) => setPath(event.currentTarget.value)} />
        <div class="actions">
          <button type="submit" class="button primary">Save there</button>
          <button type="button" class="button" onClick={() => void fetchScene()}>Download</button>
        </div>
      </form>
    </Dialog>
  );
}

export function Notices() {
  return (
    <div class="notices" role="log" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.key} class={`notice ${notice.tone}`}>
          <span>{notice.text}</span>
          <IconButton glyph="close" label="Dismiss" onClick={() => dismiss(notice.key)} />
        </div>
      ))}
    </div>
  );
}
