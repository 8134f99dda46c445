import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import { nudged, parseNumber, short } from './format';
import { IconButton } from './glyph';

// Inputs of the inspector: a label, a value with its unit, and a way back.

interface NumberFieldProps {
  label: string;
  value: number | null;
  unit?: string;
  min?: number | null;
  max?: number | null;
  initial?: number | null;
  optional?: boolean; // may be left empty
  disabled?: boolean;
  onCommit: (value: number | null) => void;
  onReset?: () => void;
  onPin?: () => void;
}

function rangeText(min: number | null | undefined, max: number | null | undefined): string {
  const [low, high] = [typeof min === 'number', typeof max === 'number'];
  if (low && high) return `from ${short(min)} to ${short(max)}`;
  return low ? `at least ${short(min)}` : high ? `at most ${short(max)}` : '';
}

export function NumberField(props: NumberFieldProps) {
  const { label, value, unit, min, max, initial, optional, disabled, onCommit, onReset, onPin } = props;
  const id = useId();
  const shown = value === null ? '' : short(value, 6);
  const [text, setText] = useState(shown);
  const [wrong, setWrong] = useState('');
  const editing = useRef(false);
  useEffect(() => {
    if (!editing.current) setText(shown);
  }, [shown]);

  const commit = (input: string) => {
    if (input.trim() === '' && optional) return (setWrong(''), onCommit(null));
    const number = parseNumber(input);
    const low = typeof min === 'number' && number < min;
    const high = typeof max === 'number' && number > max;
    if (Number.isNaN(number) || low || high)
      return setWrong(low ? `at least ${short(min)}` : high ? `at most ${short(max)}` : 'a number, such as 0.25 or 30 deg');
    setWrong('');
    if (input !== shown) onCommit(number);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return commit((event.target as HTMLInputElement).value);
    if (event.key === 'Escape') return (setText(shown), setWrong(''), (event.target as HTMLElement).blur());
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const now = parseNumber(text);
    const next = short(nudged(Number.isNaN(now) ? 0 : now, event.key === 'ArrowUp' ? 1 : -1, event.shiftKey), 8);
    setText(next);
    commit(next);
  };
  const changed = initial !== undefined && initial !== value;
  const range = rangeText(min, max);
  return (
    <div class={`field ${changed ? 'changed' : ''}`}>
      <label for={id} title={label}>{label}</label>
      <input id={id} type="text" inputMode="decimal" autocomplete="off" spellcheck={false} value={text} disabled={disabled}
        placeholder={optional ? 'none' : ''} aria-invalid={wrong !== ''} aria-describedby={range ? `${id}-range` : undefined} title={wrong || `${label} ${range}`}
        onFocus={(event) => ((editing.current = true), event.currentTarget.select())}
        onBlur={() => ((editing.current = false), text !== shown ? commit(text) : setWrong(''))}
        onInput={(event) => setText(event.currentTarget.value)} onKeyDown={onKeyDown} />
      <span class="unit" title={unit}>{unit}</span>
      <Ways label={label} initial={onReset && changed ? short(initial ?? null) : undefined} disabled={disabled} onReset={onReset} onPin={onPin} />
      {range && !wrong && <span class="range" id={`${id}-range`}>{range}</span>}
      {wrong && <span class="wrong" role="alert">{wrong}</span>}
    </div>
  );
}

interface WaysProps {
  label: string;
  initial?: string | undefined; // where there is a way back to it
  disabled?: boolean | undefined;
  onReset?: (() => void) | undefined;
  onPin?: (() => void) | undefined;
}

// The way back, and the way into a plot.
function Ways({ label, initial, disabled, onReset, onPin }: WaysProps) {
  return (
    <span class="ways">
      {onReset && initial !== undefined && <IconButton glyph="reset" label={`Reset ${label} to ${initial}`} disabled={disabled} onClick={onReset} />}
      {onPin && <IconButton glyph="plot" label={`Plot ${label}`} onClick={onPin} />}
    </span>
  );
}

interface ChoiceFieldProps {
  label: string;
  value: string;
  initial?: string;
  choices: readonly string[];
  disabled?: boolean;
  onCommit: (value: string) => void;
}

export function ChoiceField({ label, value, initial, choices, disabled, onCommit }: ChoiceFieldProps) {
  const id = useId();
  const changed = initial !== undefined && initial !== value;
  return (
    <div class={`field ${changed ? 'changed' : ''}`}>
      <label for={id}>{label}</label>
      <select id={id} value={value} disabled={disabled} class={changed ? 'long' : 'wide'} onChange={(event) => onCommit(event.currentTarget.value)}>
        {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
      </select>
      {changed && <Ways label={label} initial={initial} disabled={disabled} onReset={() => onCommit(initial)} />}
    </div>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  placeholder?: string;
  onCommit: (value: string) => void;
}

export function TextField({ label, value, placeholder, onCommit }: TextFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const editing = useRef(false); // what is being typed stays
  useEffect(() => {
    if (!editing.current) setText(value);
  }, [value]);
  const commit = (typed: string) => typed !== value && onCommit(typed);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} class="wide" type="text" autocomplete="off" spellcheck={false} value={text} placeholder={placeholder}
        onInput={(event) => setText(event.currentTarget.value)} onFocus={() => (editing.current = true)}
        onBlur={(event) => ((editing.current = false), commit(event.currentTarget.value))}
        onKeyDown={(event) => event.key === 'Enter' && commit(event.currentTarget.value)} />
    </div>
  );
}

export function Section({ title, children, open = true }: { title: string; children: ComponentChildren; open?: boolean }) {
  return (
    <details class="section" open={open}>
      <summary>{title}</summary>
      <div class="section-body">{children}</div>
    </details>
  );
}

export function Facts({ rows }: { rows: [string, string][] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}
