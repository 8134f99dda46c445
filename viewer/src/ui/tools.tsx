import { followed, isDriver, selection, tool, toolHint, type Tool } from '../state/store';
import { hintSeen, show, type ShowName } from '../state/preferences';
import { keysDrive, vehicle } from '../state/driving';
import { toggleFollow, viewport } from './actions';
import { IconButton, type GlyphName } from './glyph';
import { newJointType } from '../view/gestures';

// Beside and over the picture: tools, what is shown, the hint line.

const tools: { name: Tool; glyph: GlyphName; label: string; keys: string; hint: string }[] = [
  { name: 'drag', glyph: 'hand', label: 'Hand: take hold of bodies', keys: 'D', hint: '' },
  { name: 'force', glyph: 'force', label: 'Force', keys: 'F', hint: 'Force: press on a body and pull the arrow out; a click pushes' },
  { name: 'torque', glyph: 'torque', label: 'Torque', keys: 'T', hint: 'Torque: press on a body and pull sideways' },
  { name: 'motion', glyph: 'motion', label: 'Motion', keys: 'M', hint: 'Motion: click a joint to prescribe its velocity' },
  { name: 'joint', glyph: 'joint', label: 'New joint', keys: 'J', hint: 'Joint: click the first body' },
  { name: 'measure', glyph: 'ruler', label: 'Ruler', keys: 'R', hint: 'Ruler: click two points; Escape twice takes the distances away' },
];

const jointTypes = ['revolute', 'ball', 'prismatic', 'cylindrical', 'universal', 'planar', 'fixed'];

export function ToolStrip() {
  return (
    <div class="tool-strip" role="toolbar" aria-label="Tools" aria-orientation="vertical">
      {tools.map(({ name, glyph, label, keys }) => (
        <IconButton key={name} glyph={glyph} label={label} keys={keys} on={tool.value === name}
          disabled={!isDriver.value && name !== 'measure' && name !== 'drag'} onClick={() => (tool.value = name)} />
      ))}
      <hr />
      <IconButton glyph="fit" label="Fit the view" keys="Home" onClick={() => viewport.view?.fit()} />
      <IconButton glyph="follow" label="Follow the selected body" keys="L" on={followed.value !== null}
        disabled={followed.value === null && selection.value?.kind !== 'body'} onClick={toggleFollow} />
    </div>
  );
}

const shown: Record<ShowName, string> = {
  joints: 'Joint axes', frames: 'Body frames', contacts: 'Contact forces', traces: 'Traces', springs: 'Springs and tendons',
  shadows: 'Shadows', grid: 'Grid', names: 'Names',
};

export function ShowMenu() {
  return (
    <details class="show-menu">
      <summary title="What is shown">Show</summary>
      <div class="menu">
        {(Object.keys(shown) as ShowName[]).map((name) => (
          <label key={name}>
            <input type="checkbox" checked={show[name].value} onChange={(event) => (show[name].value = event.currentTarget.checked)} />
            {shown[name]}
          </label>
        ))}
      </div>
    </details>
  );
}

function firstHint(): string {
  if (vehicle.value !== null && keysDrive.value && isDriver.value) return 'Arrow keys, W A S D or a gamepad drive. Grab parts with the mouse. ? for all keys.';
  return 'Grab a part with the mouse and pull. Beside it: drag to turn, wheel to zoom. Press ? for all keys.';
}

export function HintLine() {
  const chosen = tools.find((t) => t.name === tool.value)!;
  const text = toolHint.value || chosen.hint || (hintSeen.value ? '' : firstHint());
  if (!text) return null;
  return (
    <div class="hint" role="status">
      <span>{text}</span>
      {tool.value === 'joint' && (
        <select aria-label="Type of the new joint" onChange={(event) => (newJointType.value = event.currentTarget.value)}>
          {jointTypes.map((type) => <option key={type}>{type}</option>)}
        </select>
      )}
      <IconButton glyph="close" label="Close the hint" onClick={() => (tool.value === 'drag' ? (hintSeen.value = true) : (tool.value = 'drag'))} />
    </div>
  );
}
