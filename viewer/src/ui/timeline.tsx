import { useRef, useState } from 'preact/hooks';
import type { Branch, Timeline as TimelineState } from '../protocol/messages';
import { compared, cursorTime, toggleCompared } from '../state/plots';
import { ask, command, frame, isDriver, timeline } from '../state/store';
import { Glyph } from './glyph';

// All branches over simulated time: scrub with the mouse or the arrow keys, click a branch to look at it.

const kLane = 11;
const kTop = 8;

// The latest wanted time; one question at a time.
class Scrubber {
  private busy = false;
  private wanted: Record<string, unknown> | null = null;

  seek(args: Record<string, unknown>): void {
    this.wanted = args;
    if (!this.busy) void this.work();
  }

  private async work(): Promise<void> {
    this.busy = true;
    while (this.wanted) {
      const args = this.wanted;
      this.wanted = null;
      await ask('seek', args).catch(() => undefined);
    }
    this.busy = false;
  }
}

const scrubber = new Scrubber();

export function Timeline() {
  const line = timeline.value;
  const track = useRef<HTMLDivElement>(null);
  const [held, setHeld] = useState(false);
  if (!line) return <div class="timeline" />;
  const end = Math.max(0.001, frame.value?.t ?? 0, ...line.branches.map((b) => b.end_t));
  const now = frame.value?.t ?? 0;
  const current = line.branches.find((b) => b.branch === (frame.value?.branch ?? line.branch));

  const seekAt = (event: PointerEvent) => {
    const box = track.current!.getBoundingClientRect();
    const t = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width)) * end;
    scrubber.seek({ t: Math.min(t, current?.end_t ?? t) });
  };
  const keys: Record<string, number> = { ArrowLeft: -0.05, ArrowRight: 0.05, PageDown: -1, PageUp: 1, Home: -Infinity, End: Infinity };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = keys[event.key];
    if (by === undefined || !isDriver.value) return;
    event.preventDefault();
    event.stopPropagation();
    scrubber.seek({ t: Math.max(0, Math.min(current?.end_t ?? end, now + by)) });
  };
  return (
    <div class="timeline">
      <BranchMenu line={line} />
      <div class="track" ref={track} role="slider" tabIndex={0} aria-label="Time" aria-valuemin={0} aria-valuemax={Number(end.toFixed(3))}
        aria-valuenow={Number(now.toFixed(3))} aria-valuetext={`${now.toFixed(3)} seconds of ${end.toFixed(1)}`} aria-disabled={!isDriver.value}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          if (!isDriver.value || event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          setHeld(true);
          seekAt(event);
        }}
        onPointerMove={(event) => held && seekAt(event)} onPointerUp={() => setHeld(false)}>
        <Lanes line={line} end={end} now={now} />
        <div class="playhead" style={{ left: `${(100 * now) / end}%` }} />
        {cursorTime.value !== null && cursorTime.value <= end && <div class="cursor" style={{ left: `${(100 * cursorTime.value) / end}%` }} />}
      </div>
      <span class="end">{end.toFixed(1)} s</span>
    </div>
  );
}

function Lanes({ line, end, now }: { line: TimelineState; end: number; now: number }) {
  const lanes = line.branches.slice(-4);
  const y = (i: number) => kTop + kLane * i;
  const x = (t: number) => `${(100 * t) / end}%`;
  return (
    <svg width="100%" height={2 * kTop + kLane * (lanes.length - 1)} aria-hidden="true">
      {lanes.map((branch, i) => {
        const parent = lanes.findIndex((b) => b.branch === branch.parent);
        const state = branch.branch === line.branch ? 'current' : compared.value.has(branch.branch) ? 'compared' : '';
        return (
          <g key={branch.branch} class={`lane ${state}`}>
            {parent >= 0 && <line x1={x(branch.fork_t)} x2={x(branch.fork_t)} y1={y(parent)} y2={y(i)} />}
            <line x1={x(branch.fork_t)} x2={x(Math.max(branch.end_t, state === 'current' ? now : 0))} y1={y(i)} y2={y(i)} />
            {branch.edits.slice(-300).map((edit, k) => (
              <circle key={k} cx={x(edit.t)} cy={y(i)} r="3.5"><title>{`${edit.label || edit.cmd}, t = ${edit.t.toFixed(3)} s`}</title></circle>
            ))}
          </g>
        );
      })}
    </svg>
  );
}

function BranchMenu({ line }: { line: TimelineState }) {
  return (
    <details class="branch-menu">
      <summary title="Branches"><Glyph name="branch" /> {labelOf(line.branches.find((b) => b.branch === line.branch))}</summary>
      <div class="menu">
        {line.branches.map((branch) => <BranchRow key={branch.branch} branch={branch} current={branch.branch === line.branch} />)}
      </div>
    </details>
  );
}

const labelOf = (branch: Branch | undefined) => (branch ? branch.name || `branch ${branch.branch}` : '');

function BranchRow({ branch, current }: { branch: Branch; current: boolean }) {
  return (
    <div class={`branch-row ${current ? 'current' : ''}`}>
      <input type="text" aria-label={`Name of branch ${branch.branch}`} value={branch.name} placeholder={`branch ${branch.branch}`}
        onChange={(event) => void command('branch', { branch: branch.branch, name: event.currentTarget.value })} />
      <small>{branch.fork_t.toFixed(2)} – {branch.end_t.toFixed(2)} s</small>
      <button type="button" class="chip-button" disabled={current} onClick={() => void command('branch', { branch: branch.branch })}>Go there</button>
      <label><input type="checkbox" disabled={current} checked={compared.value.has(branch.branch)} onChange={() => void toggleCompared(branch.branch)} /> overlay</label>
    </div>
  );
}
