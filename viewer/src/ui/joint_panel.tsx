import { useState } from 'preact/hooks';
import type { Dof, Freedoms, Joint, Model } from '../protocol/messages';
import { command, isDriver, model } from '../state/store';
import { addMotionOn, deleteSelected } from './actions';
import { ChoiceField, NumberField, Section, TextField } from './fields';
import { IconButton } from './glyph';
import { Links, Parameters, PlotButtons } from './parts';
import { typeOfFreedoms } from './joint_types';

// Manipulator 4: six switches that name the type they make, limits, friction, drive, and the force it breaks at.

const switches = ['turn x', 'turn y', 'turn z', 'slide x', 'slide y', 'slide z'];

export function JointPanel({ m, name }: { m: Model; name: string }) {
  const joint = m.joints.find((j) => j.name === name);
  if (!joint) return null;
  const bodyName = (b: number) => m.bodies[b]?.name ?? 'world';
  const off = !isDriver.value;
  return (
    <>
      <div class="actions">
        <IconButton glyph="motion" label="Prescribe a motion" text="Motion" disabled={off || joint.dofs.length === 0} onClick={() => void addMotionOn(name, 0)} />
        <IconButton glyph="trash" label={`Delete joint ${name}`} keys="Delete" text="Delete" disabled={off} onClick={deleteSelected} />
      </div>
      <Section title={`${joint.type}${joint.closes_loop ? ', closes a loop' : ''}`}>
        <FreedomSwitches joint={joint} disabled={off} />
        <Links kind="body" names={[joint.parent, joint.child].filter((b) => b >= 0).map(bodyName)} />
      </Section>
      {joint.dofs.map((dof, k) => <DofSection key={k} joint={joint} dof={dof} k={k} disabled={off} />)}
      <Section title="Breaks at" open={joint.break_force !== null || joint.break_torque !== null}>
        <NumberField label="force" unit="N" value={joint.break_force} min={0} optional disabled={off}
          onCommit={(force) => void command('set_break', { joint: name, force })} />
        <NumberField label="torque" unit="N m" value={joint.break_torque} min={0} optional disabled={off}
          onCommit={(torque) => void command('set_break', { joint: name, torque })} />
      </Section>
      <Section title="Parameters" open={false}><Parameters m={m} prefix={`joint.${name}.`} /></Section>
      <JointPlots joint={joint} />
    </>
  );
}

function FreedomSwitches({ joint, disabled }: { joint: Joint; disabled: boolean }) {
  const [wanted, setWanted] = useState<{ joint: Joint; freedoms: Freedoms } | null>(null);
  const now = wanted?.joint === joint ? wanted.freedoms : joint.freedoms;
  const type = typeOfFreedoms(now);
  const toggle = (k: number) => {
    const next = now.map((free, i) => (i === k ? !free : free)) as Freedoms;
    // Some types are two switches away from one another: in between nothing is sent.
    setWanted({ joint, freedoms: next });
    if (typeOfFreedoms(next))
      void command('set_freedoms', { joint: joint.name, freedoms: next }).then((answer) => answer || setWanted(null));
  };
  return (
    <>
      <div class="freedoms" role="group" aria-label="Freedoms of the joint">
        {switches.map((label, k) => (
          <button type="button" key={label} role="switch" aria-checked={now[k]} disabled={disabled} onClick={() => toggle(k)}>{label}</button>
        ))}
      </div>
      <p class="type-name" role="status">{type ?? 'no joint has these freedoms: switch another one'}</p>
    </>
  );
}

function DofSection({ joint, dof, k, disabled }: { joint: Joint; dof: Dof; k: number; disabled: boolean }) {
  const angular = dof.unit === 'rad';
  const load = angular ? 'N m' : 'N';
  const title = joint.dofs.length > 1 ? `Freedom ${k + 1}: ${angular ? 'turning' : 'sliding'}` : angular ? 'Turning' : 'Sliding';
  const limit = (change: { lower: number | null } | { upper: number | null }) => void command('set_limits', { joint: joint.name, dof: k, ...change });
  return (
    <Section title={title}>
      {dof.q !== null && <NumberField label="lower limit" unit={dof.unit} value={dof.lower} optional disabled={disabled} onCommit={(lower) => limit({ lower })} />}
      {dof.q !== null && <NumberField label="upper limit" unit={dof.unit} value={dof.upper} optional disabled={disabled} onCommit={(upper) => limit({ upper })} />}
      <NumberField label="friction" unit={load} value={dof.friction} min={0} disabled={disabled}
        onCommit={(force) => void command('set_friction', { joint: joint.name, dof: k, force })} />
      <Drive joint={joint} k={k} angular={angular} />
      {joint.dofs.length > 1 && (
        <div class="chips"><button type="button" class="chip-button" disabled={disabled} onClick={() => void addMotionOn(joint.name, k)}>Prescribe its motion</button></div>
      )}
    </Section>
  );
}

// As the model has it: a drive of the scene is shown like one made here.
function Drive({ joint, k, angular }: { joint: Joint; k: number; angular: boolean }) {
  const m = model.value!;
  const motor = m.motors.find((each) => m.joints[each.joint]?.name === joint.name && each.dof === k);
  const off = !isDriver.value;
  // Only what was changed: what the page knows of the rest may be older than the last key.
  const apply = (change: Record<string, unknown>) => void command('set_drive', { joint: joint.name, dof: k, ...change });
  const number = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text));
  const choose = (kind: string) => apply(motor || kind === 'off' ? { kind } : { kind, target: 1, max_force: 10 });
  return (
    <>
      <ChoiceField label="drive" value={motor?.kind ?? 'off'} choices={['off', 'velocity', 'position']} disabled={off} onCommit={choose} />
      {motor && <TextField label="target" value={motor.target === null ? '' : String(motor.target)} onCommit={(target) => apply({ target: number(target) })} />}
      {motor && <NumberField label="at most" unit={angular ? 'N m' : 'N'} value={motor.max_force} min={0} optional disabled={off} onCommit={(max_force) => apply({ max_force })} />}
      {motor?.kind === 'position' && <NumberField label="stiffness" unit={angular ? 'N m/rad' : 'N/m'} value={motor.stiffness} min={0} optional disabled={off} onCommit={(stiffness) => apply({ stiffness })} />}
      {motor?.kind === 'position' && motor.stiffness !== null && <NumberField label="damping" unit={angular ? 'N m s/rad' : 'N s/m'} value={motor.damping} min={0} disabled={off} onCommit={(damping) => apply({ damping })} />}
    </>
  );
}

function JointPlots({ joint }: { joint: Joint }) {
  const base = `joint.${joint.name}`;
  const suffix = (k: number) => (joint.dofs.length === 1 ? '' : `[${k}]`);
  const all = (name: string) => joint.dofs.map((_, k) => `${base}.${name}${suffix(k)}`);
  const unit = joint.dofs[0]?.unit ?? '';
  const coordinates = joint.dofs.flatMap((dof) => (dof.q ? [dof.q] : []));
  const tree = [
    { label: 'acceleration', unit: `${unit}/s²`, exprs: all('a') },
    { label: 'load', unit: unit === 'm' ? 'N' : 'N m', exprs: all('tau') },
  ];
  return (
    <PlotButtons of={joint.name} choices={[
      ...(coordinates.length > 0 ? [{ label: 'coordinate', unit, exprs: coordinates }] : []),
      ...(joint.dofs.length > 0 ? [{ label: 'rate', unit: `${unit}/s`, exprs: joint.dofs.map((dof) => dof.u) }] : []),
      ...(joint.dofs.length > 0 && !joint.closes_loop ? tree : []),
      { label: 'reaction force', unit: 'N', exprs: ['fx', 'fy', 'fz'].map((f) => `${base}.${f}`) },
      { label: 'reaction moment', unit: 'N m', exprs: ['nx', 'ny', 'nz'].map((n) => `${base}.${n}`) },
    ]} />
  );
}
