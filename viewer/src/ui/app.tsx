import { useEffect, useRef } from 'preact/hooks';
import { connectionState, model, run } from '../state/store';
import { panels, theme } from '../state/preferences';
import { Gestures, KeyboardGrab } from '../view/gestures';
import { Viewport } from '../view/viewport';
import { viewport } from './actions';
import { Dialogs, Notices } from './dialogs';
import { InputDisplay } from './driving';
import { Inspector } from './inspector';
import { Plots } from './plots';
import { Timeline } from './timeline';
import { Toolbar } from './toolbar';
import { HintLine, ShowMenu, ToolStrip } from './tools';
import { ModelTree } from './tree';

export function App() {
  useEffect(() => {
    document.documentElement.dataset.theme = theme.value;
  }, [theme.value]);
  const hidden = [!panels.tree.value && 'no-tree', !panels.inspector.value && 'no-inspector', !panels.plots.value && 'no-plots'];
  return (
    <div class={`app ${hidden.filter(Boolean).join(' ')}`}>
      <Toolbar />
      {panels.tree.value && <nav aria-label="Model"><ModelTree /></nav>}
      <main class="stage">
        <Picture />
        <ToolStrip />
        <ShowMenu />
        <Failure />
        <InputDisplay />
        <HintLine />
        <Notices />
      </main>
      {panels.inspector.value && <aside aria-label="Inspector"><Inspector /></aside>}
      <footer class="dock">
        <Timeline />
        {panels.plots.value && <Plots />}
      </footer>
      <Dialogs />
    </div>
  );
}

function Picture() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const labels = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const view = new Viewport(canvas.current!, labels.current!);
    viewport.view = view;
    viewport.gestures = new Gestures(view);
    viewport.grab = new KeyboardGrab(view);
  }, []);
  return (
    <>
      <canvas id="picture" ref={canvas} tabIndex={0} role="application" aria-label={`Picture of ${model.value?.name ?? 'the model'}: arrow keys turn it, plus and minus zoom`} />
      <div class="labels" ref={labels} aria-hidden="true" />
    </>
  );
}

function Failure() {
  const reason = run.value?.failed;
  if (connectionState.value !== 'open' && !model.value) return <div class="banner" role="status">Waiting for the program…</div>;
  return reason ? <div class="banner bad" role="alert">The simulation stopped: {reason}</div> : null;
}
