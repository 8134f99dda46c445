import type { Input } from '../protocol/messages';
import { forwardSpeed, hasPad, inputs, inputValue, keysDrive, setInput, vehicle } from '../state/driving';
import { frame, isDriver } from '../state/store';
import { IconButton } from './glyph';

// Over the picture: the inputs of the scene, as they are and to be set.

export function InputDisplay() {
  void frame.value; // numbers move with the picture
  if (inputs.value.length === 0) return null;
  const drives = vehicle.value !== null;
  return (
    <section class="inputs" aria-label="Inputs">
      <div class="inputs-head">
        {drives && (
          <IconButton glyph="wheel" label="Arrow keys and W A S D drive" keys="C" on={keysDrive.value} disabled={!isDriver.value}
            onClick={() => (keysDrive.value = !keysDrive.value)} />
        )}
        <span>{!drives ? 'Inputs' : hasPad.value ? 'Gamepad' : keysDrive.value ? 'W A S D or arrows' : 'Keys do not drive'}</span>
        {drives && <b title="Speed forward">{forwardSpeed.value.toFixed(1).replace('-0.0', '0.0')} <small>m/s</small></b>}
      </div>
      {inputs.value.map((input) => <InputBar key={input.name} input={input} />)}
    </section>
  );
}

function InputBar({ input }: { input: Input }) {
  const value = inputValue(input.name);
  return (
    <label class="input-bar" title={input.description}>
      <span>{input.name}</span>
      <input type="range" min={input.min ?? -1} max={input.max ?? 1} step="0.01" value={value} disabled={!isDriver.value}
        aria-label={input.name} onInput={(event) => setInput(input.name, Number(event.currentTarget.value))} />
      <output>{value.toFixed(2)}</output>
    </label>
  );
}
