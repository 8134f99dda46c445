import { FrameFlag } from '../protocol/frame';
import { panels, theme } from '../state/preferences';
import { clients, command, connectionState, frame, isDriver, isPlaying, model, run, timeline } from '../state/store';
import { dialog, redo, setSpeed, speeds, stepBack, stepOnce, togglePlaying, undo } from './actions';
import { short } from './format';
import { IconButton } from './glyph';

export function Toolbar() {
  return (
    <header class="toolbar">
      <div class="brand">
        <img src="icon.svg" alt="" width="20" height="20" />
        <h1>{model.value?.name ?? 'Lipkin'}</h1>
      </div>
      <RunControls />
      <Clock />
      <div class="spacer" />
      <Role />
      <div class="group" role="group" aria-label="Edits">
        <IconButton glyph="undo" label={`Undo ${timeline.value?.can_undo ?? ''}`.trim()} keys="Ctrl+Z" disabled={!isDriver.value || !timeline.value?.can_undo} onClick={undo} />
        <IconButton glyph="redo" label={`Redo ${timeline.value?.can_redo ?? ''}`.trim()} keys="Ctrl+Y" disabled={!isDriver.value || !timeline.value?.can_redo} onClick={redo} />
        <IconButton glyph="save" label="Save the scene" keys="Ctrl+S" onClick={() => (dialog.value = 'save')} />
      </div>
      <div class="group" role="group" aria-label="Panels">
        <IconButton glyph="tree" label="Model tree" keys="B" on={panels.tree.value} onClick={() => (panels.tree.value = !panels.tree.value)} />
        <IconButton glyph="plot" label="Plots" keys="P" on={panels.plots.value} onClick={() => (panels.plots.value = !panels.plots.value)} />
        <IconButton glyph="panel" label="Inspector" keys="I" on={panels.inspector.value} onClick={() => (panels.inspector.value = !panels.inspector.value)} />
      </div>
      <div class="group">
        <IconButton glyph="sun" label="Dark or light" keys="Shift+T" onClick={() => (theme.value = theme.value === 'dark' ? 'light' : 'dark')} />
        <IconButton glyph="help" label="Help" keys="?" onClick={() => (dialog.value = 'help')} />
      </div>
    </header>
  );
}

function RunControls() {
  const speed = run.value?.speed ?? 1;
  const all = speeds.includes(speed) ? speeds : [...speeds, speed].sort((a, b) => a - b);
  const off = !isDriver.value;
  return (
    <div class="group run" role="group" aria-label="Run">
      <IconButton glyph="reset" label="Back to the start" disabled={off} onClick={() => void command('reset')} />
      <IconButton glyph="back" label="One step back" keys="," disabled={off} onClick={stepBack} />
      <button type="button" class="play" aria-label={isPlaying.value ? 'Pause' : 'Play'} title={`${isPlaying.value ? 'Pause' : 'Play'} (Space)`} disabled={off} onClick={togglePlaying}>
        <svg viewBox="0 0 16 16" width="18" height="18" fill="currentColor" aria-hidden="true">
          <path d={isPlaying.value ? 'M4 2.5h3v11H4zM9 2.5h3v11H9z' : 'M4 2.5v11l9-5.5z'} />
        </svg>
      </button>
      <IconButton glyph="step" label="One step forward" keys="." disabled={off} onClick={stepOnce} />
      <select aria-label="Speed" title="Speed ([ and ])" value={String(speed)} disabled={off}
        onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
        {all.map((factor) => <option key={factor} value={String(factor)}>{factor}×</option>)}
      </select>
    </div>
  );
}

function Clock() {
  const now = frame.value;
  const late = now ? (now.flags & FrameFlag.late) !== 0 : false;
  const energy = run.value?.energy;
  const invented = energy?.invented ?? 0;
  const unconverged = run.value?.unconverged_steps ?? 0;
  const drift = energy && energy.now !== null && energy.initial !== null ? energy.now - energy.initial : null;
  return (
    <div class="clock" aria-label="State of the run">
      <span class="time" title="Simulated time">{now ? now.t.toFixed(3) : '–'} <small>s</small></span>
      <span title={late ? 'This machine cannot keep up with the speed asked for' : 'Real-time factor reached'} class={late ? 'late' : ''}>
        <small>rtf</small> {now && isPlaying.value ? now.realTimeFactor.toFixed(2) : '–'}
      </span>
      <span class="wide-only" title="Step count"><small>step</small> {now?.step ?? '–'}</span>
      <span title="Worst violation of a constraint in the last step"><small>gap</small> {short(now?.positionViolation, 3)} <small>m</small></span>
      <span class={invented > 0 ? 'late' : 'wide-only'} title={invented > 0 ? `Nothing drives it, and its energy grew by ${short(invented, 3)} J: the steps have invented it, take smaller ones` : 'Mechanical energy now less that at the start; see the energy balance'}><small>ΔE</small> {short(drift, 3)} <small>J</small></span>
      {unconverged > 0 && <span class="late" title={`${unconverged} steps did not converge: laws are not met there; take smaller steps, or allow the solver more iterations`}>not converged</span>}
      {now && (now.flags & FrameFlag.recording) !== 0 && <span class="rec" title="Recording">REC</span>}
    </div>
  );
}

function Role() {
  const state = connectionState.value;
  if (state !== 'open')
    return <span class="chip bad" role="status">{state === 'refused' ? 'no connection: is the program running, is the token right?' : 'reconnecting…'}</span>;
  if (isDriver.value) return clients.value.length > 1 ? <span class="chip" title="You drive, the others watch">driving · {clients.value.length} viewers</span> : null;
  return <IconButton glyph="wheel" label="Take the wheel: somebody else is driving" text="Watching · take the wheel" onClick={() => void command('take')} />;
}
