// What the server says, as docs/guide/viewer-protocol.md lays it down. SI units; quaternions w x y z.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export interface Pose {
  p: Vec3;
  q: Quat;
}

interface ShapeCommon {
  pose: Pose;
  color: [number, number, number, number];
  contact: string;
}
export type ShapeGeometry =
  | { kind: 'sphere'; radius: number }
  | { kind: 'box'; size: Vec3 }
  | { kind: 'cylinder' | 'capsule'; radius: number; length: number }
  | { kind: 'frustum' | 'cup'; bottom_radius: number; top_radius: number; height: number }
  | { kind: 'plane' }
  | { kind: 'hull' | 'mesh'; vertices: number[]; triangles: number[] }
  | { kind: 'height_field'; columns: number; rows: number; size: [number, number]; heights: number[] };
export type Shape = ShapeCommon & ShapeGeometry;

export interface Body {
  name: string;
  mass: number;
  com: Vec3;
  inertia: [number, number, number, number, number, number];
  parent: number;
  shapes: Shape[];
}

export interface Dof {
  unit: 'rad' | 'm';
  lower: number | null;
  upper: number | null;
  friction: number;
  damping: number;
  stiffness: number;
  rest: number;
  q: string | null;
  u: string;
}

export type Freedoms = [boolean, boolean, boolean, boolean, boolean, boolean];

export interface Joint {
  name: string;
  type: string;
  parent: number;
  child: number;
  closes_loop: boolean;
  frame: Pose;
  frame_in_child: Pose;
  freedoms: Freedoms;
  dofs: Dof[];
  break_force: number | null;
  break_torque: number | null;
}

export interface Attachment {
  body: number;
  p: Vec3;
}

export interface Spring {
  name: string;
  a: Attachment;
  b: Attachment;
  stiffness: number;
  damping: number;
  rest_length: number | null;
}

export interface Distance {
  name: string;
  a: Attachment;
  b: Attachment;
  lower: number | null;
  upper: number | null;
}

// A sphere or a cylinder about z that a tendon wraps around, between the point before and the point behind it.
export interface TendonWrap {
  around: 'sphere' | 'cylinder';
  body: number;
  frame: Pose;
  radius: number;
  side: Attachment | null;
}

export interface Tendon {
  name: string;
  branches: (Attachment | TendonWrap)[][];
}

export interface Motor {
  name: string;
  joint: number; // -1: it drives a tendon
  tendon: string;
  dof: number;
  kind: 'position' | 'velocity';
  target: number | string | null;
  max_force: number | null;
  stiffness: number | null;
  damping: number;
}

export interface Actuator {
  name: string;
  joint: number; // -1: it pushes a body, or drives a tendon
  body: number; // -1: it drives a joint or a tendon
  tendon: string;
  dof: number;
  min: number | null;
  max: number | null;
  control: number | null;
}

export interface Parameter {
  path: string;
  value: number | null;
  initial: number | null;
  unit: string;
  min: number | null;
  max: number | null;
  group: string;
  derived_from?: string;
}

export interface Controller {
  name: string;
  kind: 'pid' | 'law';
  waits?: boolean; // a PID without gains: its law goes on acting
  law: number | string | null;
  measured: string;
  target: number | string | null;
  filter: number;
  min: number | null;
  max: number | null;
}

export interface Input {
  name: string;
  value: number;
  min: number | null;
  max: number | null;
  unit: string;
  description: string;
}

export interface NamedPoint {
  name: string;
  body: number;
  p: Vec3;
  has_zone?: boolean; // in which it feels contacts
}

export interface Model {
  version: number;
  name: string;
  description: string;
  gravity: Vec3;
  up: Vec3;
  extent: number;
  bodies: Body[];
  world: { shapes: Shape[] };
  joints: Joint[];
  springs: Spring[];
  distances: Distance[];
  tendons: Tendon[];
  motors: Motor[];
  actuators: Actuator[];
  inputs?: Input[];
  controllers: Controller[];
  materials: { name: string; friction: number; restitution: number }[];
  points: NamedPoint[];
  parameters: Parameter[]; // of each kind of group, see `alike`
  alike?: Map<string, string>; // groups whose parameters are those of another but for the name in their paths
  groups?: string[]; // all of them
  outputs: { name: string; expr: string; unit: string }[];
  sensors?: { name: string; expr: string; unit: string }[]; // outputs that nobody works out until they are watched
  dof: number;
  q_count: number;
  u_count: number;
}

export type ChoiceName = 'stepper' | 'solver' | 'coordinates' | 'stabilization';
export type Method = Record<ChoiceName, string> & {
  dt: number;
  relative_tolerance: number;
  absolute_tolerance: number;
  duration: number | null;
};
export type Settings = Method & {
  initial: Method; // what the scene gave
  choices: Record<ChoiceName, string[]>;
};

export interface Run {
  playing: boolean;
  speed: number;
  t: number;
  step: number;
  hash: string;
  failed: string | null;
  recording?: string | null;
  violation: { position: number | null; velocity: number | null };
  energy: { initial: number | null; now: number | null; invented: number };
  deadline_misses?: number;
  unconverged_steps: number;
}

export type Law =
  | { kind: 'constant' }
  | { kind: 'ramp'; rise: number }
  | { kind: 'sine'; frequency: number; phase: number }
  | { kind: 'expression'; expr: string };

export interface Icon {
  name: string;
  kind: 'force' | 'torque' | 'motion';
  body?: string;
  point?: Vec3;
  vector?: Vec3;
  frame?: 'world' | 'body';
  joint?: string;
  dof?: number;
  motion?: 'velocity' | 'position';
  value?: number;
  max_force?: number | null;
  law: Law;
  start: number;
  duration: number | null;
  style?: 'push' | 'pull';
}

export interface Edit {
  step: number;
  t: number;
  cmd: string;
  label: string;
}

export interface Branch {
  branch: number;
  parent: number | null;
  fork_step: number;
  fork_t: number;
  end_step: number;
  end_t: number;
  name: string;
  edits: Edit[];
}

export interface Timeline {
  branch: number;
  branches: Branch[];
  can_undo: string | null;
  can_redo: string | null;
}

export interface Watch {
  name: string;
  expr: string;
  unit: string;
  error: string | null;
}

export interface Client {
  client: number;
  role: 'driver' | 'watcher';
}

export interface Hello {
  type: 'hello';
  protocol: number;
  version: string;
  client: number;
  role: 'driver' | 'watcher';
  clients: Client[];
  limits: { message_bytes: number };
  model: Model;
  settings: Settings;
  run: Run;
  timeline: Timeline;
  icons: Icon[];
  watches: Watch[] | { version: number; watches: Watch[] };
}

export interface Answer {
  type: 'answer';
  id: number;
  ok: boolean;
  step?: number;
  t?: number;
  hash?: string;
  result?: Record<string, unknown>;
  error?: string;
}

export interface EditMessage {
  type: 'edit';
  client: number;
  line: { cmd: string; args?: Record<string, unknown> };
  step: number;
  t: number;
  branch: number;
  energy_jump?: number | null;
}

export interface EventMessage {
  type: 'event';
  event: 'broke' | 'failed' | 'refused' | 'end' | 'saved';
  joint?: string;
  step?: number;
  t?: number;
  force?: number | null;
  torque?: number | null;
  message?: string;
  path?: string;
}

export type ServerMessage =
  | Hello
  | Answer
  | EditMessage
  | EventMessage
  | { type: 'model'; model: Model; icons: Icon[] }
  | { type: 'settings'; settings: Settings }
  | { type: 'run'; run: Run }
  | { type: 'timeline'; timeline: Timeline }
  | { type: 'clients'; you: number; role: 'driver' | 'watcher'; clients: Client[] }
  | { type: 'watches'; version: number; watches: Watch[] }
  | { type: 'follow'; body: string | null };
