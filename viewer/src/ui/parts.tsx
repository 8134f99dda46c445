import { parametersWith } from '../protocol/assembly';
import type { Model, Parameter } from '../protocol/messages';
import { addPlot } from '../state/plots';
import { command, frame, isDriver, selection, watches, type ItemKind } from '../state/store';
import { NumberField, Section } from './fields';

// Pieces that several inspectors share.

export interface PlotChoice {
  label: string;
  unit: string;
  exprs: string[];
}

export function PlotButtons({ of, choices }: { of: string; choices: PlotChoice[] }) {
  return (
    <Section title="Plot">
      <div class="chips">
        {choices.map(({ label, unit, exprs }) => (
          <button type="button" class="chip-button" key={label} title={`Plot ${exprs.join(', ')}`}
            onClick={() => void addPlot(`${of}: ${label} [${unit}]`, exprs.map((expr) => ({ name: expr, expr, unit })))}>
            {label}
          </button>
        ))}
      </div>
    </Section>
  );
}

export function Links({ kind, names }: { kind: ItemKind; names: string[] }) {
  if (names.length === 0) return <p class="empty">none</p>;
  return (
    <div class="chips">
      {names.map((name) => (
        <button type="button" class="chip-button" key={name} onClick={() => (selection.value = { kind, name })}>{name}</button>
      ))}
    </div>
  );
}

export function Parameters({ m, prefix }: { m: Model; prefix: string }) {
  const list = parametersWith(m, prefix);
  if (list.length === 0) return <p class="empty">nothing to set</p>;
  return <>{list.map((p) => <ParameterField key={p.path} p={p} label={p.path.slice(prefix.length)} />)}</>;
}

// Controls change without a new model: where they are watched, what is so now counts.
function valueNow(p: Parameter): number | null {
  if (!p.path.startsWith('actuator.')) return p.value;
  const i = watches.value.findIndex((w) => w.name === p.path);
  const value = i < 0 ? undefined : frame.value?.values[i];
  return value === undefined || Number.isNaN(value) ? p.value : value;
}

export function ParameterField({ p, label }: { p: Parameter; label: string }) {
  return (
    <NumberField label={label.replace(/_/g, ' ') + (p.derived_from ? ` = ${p.derived_from}` : '')} value={valueNow(p)} unit={p.unit} min={p.min} max={p.max} initial={p.initial}
      disabled={!isDriver.value} optional={p.value === null} onCommit={(value) => void command('set', { path: p.path, value })}
      onReset={() => void command('reset_parameter', { path: p.path })}
      onPin={() => void addPlot(`${p.path}${p.unit ? ` [${p.unit}]` : ''}`, [{ name: p.path, expr: p.path, unit: p.unit }])} />
  );
}
