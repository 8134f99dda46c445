import { useEffect } from 'preact/hooks';
import type { Model, Settings } from '../protocol/messages';
import { command, followed, isDriver, model, selection, settings, type Item, type ItemKind } from '../state/store';
import { variableText, watch } from '../state/plots';
import { toggleTrace, tracedPoints } from '../state/traced';
import { addIconOn, methodOf, toggleFollow } from './actions';
import { ControllerPanel } from './controller_panel';
import { ChoiceField, Facts, NumberField, Section } from './fields';
import { short } from './format';
import { IconButton } from './glyph';
import { IconPanel } from './icon_panel';
import { JointPanel } from './joint_panel';
import { Links, ParameterField, Parameters, PlotButtons, type PlotChoice } from './parts';

// What is selected, and the scene where nothing is: values with units, applied at the next step.

export function Inspector() {
  const m = model.value;
  const item: Item = selection.value ?? { kind: 'scene', name: m?.name ?? '' };
  return (
    <section class="panel inspector" aria-label="Inspector">
      <div class="panel-head">
        <h2>{item.name}</h2>
        <span class="kind">{item.kind}</span>
      </div>
      <div class="scroll" key={`${item.kind} ${item.name}`} tabIndex={0}>{m && <Content m={m} item={item} />}</div>
    </section>
  );
}

function Content({ m, item }: { m: Model; item: Item }) {
  switch (item.kind) {
    case 'body': return <BodyPanel m={m} name={item.name} />;
    case 'joint': return <JointPanel m={m} name={item.name} />;
    case 'icon': return <IconPanel name={item.name} />;
    case 'scene': return <ScenePanel m={m} />;
    case 'point': return <PointPanel name={item.name} />;
    case 'controller': return <ControllerPanel m={m} name={item.name} />;
    default: return <PartPanel m={m} item={item} />;
  }
}

const axes = ['x', 'y', 'z'];

function BodyPanel({ m, name }: { m: Model; name: string }) {
  const body = m.bodies.find((b) => b.name === name);
  if (!body) return null;
  const of = (suffixes: string[]) => suffixes.map((suffix) => variableText(`body.${name}.${suffix}`));
  const joints = m.joints.filter((joint) => m.bodies[joint.child]?.name === name || m.bodies[joint.parent]?.name === name);
  return (
    <>
      <div class="actions">
        <IconButton glyph="force" label="Add a force" text="Force" disabled={!isDriver.value} onClick={() => void addIconOn('force', name)} />
        <IconButton glyph="torque" label="Add a torque" text="Torque" disabled={!isDriver.value} onClick={() => void addIconOn('torque', name)} />
        <IconButton glyph="follow" label="Follow with the camera" text="Follow" on={followed.value === name} onClick={toggleFollow} />
      </div>
      <Section title="Mass"><Parameters m={m} prefix={`body.${name}.`} /></Section>
      <PlotButtons of={name} choices={[
        { label: 'position', unit: 'm', exprs: of(axes) },
        { label: 'velocity', unit: 'm/s', exprs: of(axes.map((a) => `v${a}`)) },
        { label: 'acceleration', unit: 'm/s²', exprs: of(axes.map((a) => `a${a}`)) },
        { label: 'angular velocity', unit: 'rad/s', exprs: of(axes.map((a) => `w${a}`)) },
        { label: 'angular acceleration', unit: 'rad/s²', exprs: of(axes.map((a) => `alpha${a}`)) },
        { label: 'total force', unit: 'N', exprs: of(axes.map((a) => `f${a}`)) },
        { label: 'total torque', unit: 'N m', exprs: of(axes.map((a) => `n${a}`)) },
        { label: 'contact force', unit: 'N', exprs: of(axes.map((a) => `contact_f${a}`)) },
      ]} />
      <Section title="Joints"><Links kind="joint" names={joints.map((joint) => joint.name)} /></Section>
      <Section title="Facts" open={false}>
        <Facts rows={[
          ['centre of mass', body.com.map((x) => short(x, 3)).join(', ') + ' m'],
          ['inertia xx yy zz', body.inertia.slice(0, 3).map((x) => short(x, 3)).join(', ') + ' kg m²'],
          ['shapes', body.shapes.map((shape) => shape.kind).join(', ') || 'none'],
        ]} />
      </Section>
    </>
  );
}

function PointPanel({ name }: { name: string }) {
  const traced = tracedPoints.value?.includes(name) ?? false;
  const of = (suffixes: string[]) => suffixes.map((suffix) => variableText(`point.${name}.${suffix}`));
  return (
    <>
      <div class="actions">
        <IconButton glyph="branch" label="Draw its path" text={traced ? 'Path is drawn' : 'Draw its path'} on={traced} onClick={() => toggleTrace(name)} />
      </div>
      <PlotButtons of={name} choices={[
        { label: 'position', unit: 'm', exprs: of(axes) },
        { label: 'velocity', unit: 'm/s', exprs: of(axes.map((a) => `v${a}`)) },
        { label: 'acceleration', unit: 'm/s²', exprs: of(axes.map((a) => `a${a}`)) },
        { label: 'accelerometer', unit: 'm/s²', exprs: of(axes.map((a) => `imu_a${a}`)) },
        { label: 'gyro', unit: 'rad/s', exprs: of(axes.map((a) => `wb${a}`)) },
      ]} />
    </>
  );
}

function PartPanel({ m, item }: { m: Model; item: Item }) {
  useEffect(() => {
    const control = `actuator.${item.name}.control`;
    if (item.kind === 'actuator') void watch([{ name: control, expr: control, unit: '' }]);
  }, [item.kind, item.name]);
  const plots: Partial<Record<ItemKind, PlotChoice[]>> = {
    spring: [
      { label: 'length', unit: 'm', exprs: [`spring.${item.name}.length`] },
      { label: 'force', unit: 'N', exprs: [`spring.${item.name}.force`] },
    ],
    distance: [
      { label: 'length', unit: 'm', exprs: [`distance.${item.name}.length`] },
      { label: 'rate', unit: 'm/s', exprs: [`distance.${item.name}.rate`] },
    ],
    tyre: [
      { label: 'load', unit: 'N', exprs: [`tyre.${item.name}.load`] },
      { label: 'force', unit: 'N', exprs: [`tyre.${item.name}.fx`, `tyre.${item.name}.fy`] },
      { label: 'slip', unit: '', exprs: [`tyre.${item.name}.slip`] },
      { label: 'slip angle', unit: 'rad', exprs: [`tyre.${item.name}.slip_angle`] },
    ],
    motor: [{ label: 'force', unit: 'N m', exprs: [`motor.${item.name}.force`] }],
    actuator: [
      { label: 'control', unit: '', exprs: [`actuator.${item.name}.control`] },
      { label: 'force', unit: 'N m', exprs: [`actuator.${item.name}.force`] },
    ],
  };
  return (
    <>
      <Section title="Parameters"><Parameters m={m} prefix={`${item.kind}.${item.name}.`} /></Section>
      {plots[item.kind] && <PlotButtons of={item.name} choices={plots[item.kind]!} />}
    </>
  );
}

function ScenePanel({ m }: { m: Model }) {
  const own = m.parameters.filter((p) => p.path.startsWith('parameter.'));
  const others = m.parameters.filter((p) => p.path.startsWith('gravity.'));
  const s = settings.value;
  return (
    <>
      {m.description && <p class="description">{m.description}</p>}
      {s && <Section title="Method"><Method s={s} /></Section>}
      <Section title="Gravity">{others.map((p) => <ParameterField key={p.path} p={p} label={p.path.slice(8)} />)}</Section>
      {own.length > 0 && <Section title="Parameters of the scene">{own.map((p) => <ParameterField key={p.path} p={p} label={p.path.slice(10)} />)}</Section>}
      <Section title="Facts" open={false}>
        <Facts rows={[
          ['bodies', String(m.bodies.length)], ['joints', String(m.joints.length)],
          ['loops', String(m.joints.filter((j) => j.closes_loop).length)], ['degrees of freedom of the tree', String(m.dof)],
          ['size', `${short(m.extent, 3)} m`],
        ]} />
      </Section>
    </>
  );
}

const stepSize = { name: 'dt', label: 'step size', unit: 's', max: 1 } as const;
const tolerances = [
  { name: 'relative_tolerance', label: 'relative error', unit: '', max: 1 },
  { name: 'absolute_tolerance', label: 'absolute error', unit: '', max: 1 },
] as const;

function Method({ s }: { s: Settings }) {
  const numbers = methodOf(s).adaptive ? [stepSize, ...tolerances] : [stepSize];
  const set = (name: string, value: unknown) => void command('settings', { [name]: value });
  const off = !isDriver.value;
  return (
    <>
      {(['stepper', 'solver', 'coordinates', 'stabilization'] as const).map((name) => (
        <ChoiceField key={name} label={name} value={s[name]} initial={s.initial?.[name]} choices={s.choices[name] ?? [s[name]]} disabled={off} onCommit={(value) => set(name, value)} />
      ))}
      {numbers.map(({ name, label, unit, max }) => (
        <NumberField key={name} label={label} unit={unit} value={s[name]} initial={s.initial?.[name]} min={name === 'dt' ? 1e-7 : 0} max={max} disabled={off}
          onCommit={(value) => set(name, value)} onReset={() => set(name, s.initial[name])} />
      ))}
    </>
  );
}
