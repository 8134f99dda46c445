import type { Icon, Law } from '../protocol/messages';
import { command, frame, icons, isDriver, model } from '../state/store';
import { deleteSelected } from './actions';
import { ChoiceField, NumberField, Section, TextField } from './fields';
import { IconButton } from './glyph';

// A force, torque or motion: size and direction, time law, start and duration.

const axes = ['x', 'y', 'z'];
const laws: Record<Law['kind'], Law> = {
  constant: { kind: 'constant' },
  ramp: { kind: 'ramp', rise: 1 },
  sine: { kind: 'sine', frequency: 1, phase: 0 },
  expression: { kind: 'expression', expr: 'sin(2*pi*s)' },
};

export function IconPanel({ name }: { name: string }) {
  const icon = icons.value.find((i) => i.name === name);
  if (!icon) return null;
  const edit = (args: Record<string, unknown>) => void command('edit_icon', { name, ...args });
  return (
    <>
      <div class="actions">
        <IconButton glyph="trash" label={`Delete ${name}`} keys="Delete" text="Delete" disabled={!isDriver.value} onClick={deleteSelected} />
      </div>
      {icon.kind === 'motion' ? <MotionFields icon={icon} edit={edit} /> : <VectorFields icon={icon} edit={edit} />}
      <Section title="Time law"><LawFields law={icon.law} edit={(law) => edit({ law })} /></Section>
      <Section title="When">
        <NumberField label="start" unit="s" value={icon.start} onCommit={(start) => edit({ start })} />
        <NumberField label="duration" unit="s" value={icon.duration} min={0} optional onCommit={(duration) => edit({ duration })} />
      </Section>
    </>
  );
}

type Edit = (args: Record<string, unknown>) => void;

function VectorFields({ icon, edit }: { icon: Icon; edit: Edit }) {
  const vector = icon.vector ?? [0, 0, 0];
  const point = icon.point ?? [0, 0, 0];
  const unit = icon.kind === 'force' ? 'N' : 'N m';
  const size = Math.hypot(...vector);
  const only = (k: number, value: number | null) => axes.map((_, i) => (i === k ? (value ?? 0) : null)); // null stays
  return (
    <Section title={`On ${icon.body}`}>
      <NumberField label={icon.kind} unit={unit} value={size} min={0} onCommit={(value) => edit({ size: value ?? 0 })} />
      {axes.map((axis, k) => (
        <NumberField key={axis} label={`along ${axis}`} unit={unit} value={vector[k]!} onCommit={(value) => edit({ [icon.kind]: only(k, value) })} />
      ))}
      <ChoiceField label="axes of" value={icon.frame ?? 'world'} choices={['world', 'body']} onCommit={(frame) => edit({ frame })} />
      {icon.kind === 'force' && <ChoiceField label="drawn as" value={icon.style ?? 'push'} choices={['push', 'pull']} onCommit={(style) => edit({ style })} />}
      {axes.map((axis, k) => (
        <NumberField key={`p${axis}`} label={`at ${axis}`} unit="m" value={point[k]!} onCommit={(value) => edit({ point: only(k, value) })} />
      ))}
    </Section>
  );
}

// A position is reached along a ramp, from where the joint is.
function MotionFields({ icon, edit }: { icon: Icon; edit: Edit }) {
  const dof = model.value?.joints.find((joint) => joint.name === icon.joint)?.dofs[icon.dof ?? 0];
  const unit = dof?.unit ?? 'rad';
  const prescribe = (motion: string) => edit({ motion, start: frame.value?.t ?? icon.start, law: motion === 'position' ? laws.ramp : laws.constant });
  return (
    <Section title={`On joint ${icon.joint}`}>
      <ChoiceField label="prescribes" value={icon.motion ?? 'velocity'} choices={dof?.q === null ? ['velocity'] : ['velocity', 'position']} onCommit={prescribe} />
      <NumberField label={icon.motion === 'position' ? 'moves by' : 'velocity'} unit={icon.motion === 'position' ? unit : `${unit}/s`} value={icon.value ?? 0}
        onCommit={(value) => edit({ value })} />
      <NumberField label="at most" unit={unit === 'm' ? 'N' : 'N m'} value={icon.max_force ?? null} min={0} optional onCommit={(max_force) => edit({ max_force })} />
    </Section>
  );
}

function LawFields({ law, edit }: { law: Law; edit: (law: Partial<Law>) => void }) {
  return (
    <>
      <ChoiceField label="law" value={law.kind} choices={Object.keys(laws)} onCommit={(kind) => edit(laws[kind as Law['kind']])} />
      {law.kind === 'ramp' && <NumberField label="rise" unit="s" value={law.rise} min={0} onCommit={(rise) => edit({ rise: rise ?? 0 })} />}
      {law.kind === 'sine' && <NumberField label="frequency" unit="Hz" value={law.frequency} onCommit={(frequency) => edit({ frequency: frequency ?? 1 })} />}
      {law.kind === 'sine' && <NumberField label="phase" unit="rad" value={law.phase} onCommit={(phase) => edit({ phase: phase ?? 0 })} />}
      {law.kind === 'expression' && <TextField label="of s" value={law.expr} onCommit={(expr) => edit({ expr })} />}
    </>
  );
}
