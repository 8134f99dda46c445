import type { Model } from '../protocol/messages';
import { command, isDriver } from '../state/store';
import { ChoiceField, NumberField, Section, TextField } from './fields';
import { Parameters, PlotButtons } from './parts';

// A controller: an expression or a PID, exchanged for the other while it runs.

const asTyped = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text));
const shown = (value: number | string | null) => (value === null ? '' : String(value));

export function ControllerPanel({ m, name }: { m: Model; name: string }) {
  const c = m.controllers.find((each) => each.name === name);
  if (!c) return null;
  const off = !isDriver.value;
  const apply = (change: Record<string, unknown>) => void command('set_controller', { name, ...change });
  const isPid = c.kind === 'pid';
  const output = { label: 'output', unit: '', exprs: [`controller.${name}.output`] };
  const error = { label: 'error', unit: '', exprs: [`controller.${name}.error`] };
  return (
    <>
      <Section title="Law">
        <ChoiceField label="kind" value={c.kind} choices={['law', 'pid']} disabled={off}
          onCommit={(kind) => apply(kind === 'pid' ? (c.measured ? { kind } : { measured: '0' }) : c.law !== null ? { kind } : { law: 0 })} />
        {c.waits && <p class="empty">Without gains it does not act: the law {shown(c.law)} goes on.</p>}
        {!isPid && <TextField label="output" value={shown(c.law)} placeholder="-2 * joint.pole.u" onCommit={(law) => apply({ law: asTyped(law) })} />}
        {isPid && <TextField label="measured" value={c.measured} onCommit={(measured) => apply({ measured })} />}
        {isPid && <TextField label="target" value={shown(c.target)} onCommit={(target) => apply({ target: asTyped(target) })} />}
      </Section>
      {isPid && (
        <Section title="Gains">
          <Parameters m={m} prefix={`controller.${name}.`} />
          <NumberField label="filter" unit="s" value={c.filter} min={0} disabled={off} onCommit={(filter) => apply({ filter })} />
        </Section>
      )}
      <Section title="Range of the output" open={c.min !== null || c.max !== null}>
        <NumberField label="at least" value={c.min} optional disabled={off} onCommit={(min) => min !== null && apply({ min })} />
        <NumberField label="at most" value={c.max} optional disabled={off} onCommit={(max) => max !== null && apply({ max })} />
      </Section>
      <PlotButtons of={name} choices={isPid ? [output, error] : [output]} />
    </>
  );
}
