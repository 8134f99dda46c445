import type { Body, Hello, Icon, Joint, Model, Parameter, ServerMessage, Shape } from './messages';

// Puts together what comes in pieces, and fills in what is said to be like something before.

// What is left out is as in the body or joint of that number, the shape of that body, the group of that name.
export type SentShape = Shape | (Pick<Shape, 'pose' | 'color' | 'contact'> & { as: [number, number] });
export type SentBody = Omit<Body, 'shapes'> & { shapes: SentShape[] };
export interface SentModel extends Omit<Model, 'bodies' | 'world' | 'joints' | 'parameters' | 'alike' | 'groups'> {
  bodies: (SentBody | (Pick<Body, 'name' | 'parent'> & { as: number }))[];
  world: { shapes: SentShape[] };
  joints: (Joint | (Pick<Joint, 'name' | 'parent' | 'child'> & { as: number }))[];
  parameters: (Parameter | { group: string; as: string })[];
}

type WithModel = Extract<ServerMessage, { model: Model }>;
type Sent =
  | Exclude<ServerMessage, WithModel>
  | (Omit<Hello, 'model'> & { model: SentModel | null; pieces?: number })
  | { type: 'model'; icons: Icon[]; model: SentModel | null; pieces?: number }
  | { type: 'piece'; piece: number; pieces: number; text: string };

export class Assembly {
  private waiting: { message: object; texts: string[] } | null = null;

  // The message that is whole now; null where more of it is to come, or a newer one.
  take(message: Sent): ServerMessage | null {
    if (message.type === 'piece') return this.add(message.text, message.pieces);
    if (message.type !== 'hello' && message.type !== 'model') return message;
    this.waiting = null;
    if (message.model) return { ...message, model: filledIn(message.model) } as ServerMessage;
    if (message.pieces) this.waiting = { message, texts: [] };
    return null;
  }

  private add(text: string, pieces: number): ServerMessage | null {
    const { waiting } = this;
    if (!waiting) return null;
    waiting.texts.push(text);
    if (waiting.texts.length < pieces) return null;
    this.waiting = null;
    return { ...waiting.message, model: filledIn(JSON.parse(waiting.texts.join('')) as SentModel) } as ServerMessage;
  }
}

export function filledIn(sent: SentModel): Model {
  const bodies: Body[] = [];
  const shapeOf = (shape: SentShape): Shape => {
    if (!('as' in shape)) return shape;
    const { as: [body, index], ...own } = shape;
    return { ...(body < 0 ? world : bodies[body]!.shapes)[index]!, ...own };
  };
  // One by one: a shape may be like another of the same body.
  const fill = (shapes: SentShape[], into: Shape[]) => shapes.forEach((shape) => into.push(shapeOf(shape)));
  for (const body of sent.bodies) {
    if ('as' in body) {
      bodies.push({ ...bodies[body.as]!, name: body.name, parent: body.parent });
      continue;
    }
    const filled: Body = { ...body, shapes: [] };
    bodies.push(filled);
    fill(body.shapes, filled.shapes);
  }
  const world: Shape[] = [];
  fill(sent.world.shapes, world);
  const joints: Joint[] = [];
  for (const joint of sent.joints) joints.push('as' in joint ? likeJoint(joints[joint.as]!, joint) : joint);
  return { ...sent, bodies, world: { shapes: world }, joints, ...parametersOf(sent) };
}

function likeJoint(first: Joint, own: Pick<Joint, 'name' | 'parent' | 'child'>): Joint {
  const renamed = (channel: string) => `joint.${own.name}.${channel.slice(`joint.${first.name}.`.length)}`;
  const dofs = first.dofs.map((dof) => ({ ...dof, q: dof.q === null ? null : renamed(dof.q), u: renamed(dof.u) }));
  return { ...first, name: own.name, parent: own.parent, child: own.child, dofs };
}

function parametersOf(sent: SentModel): Pick<Model, 'parameters' | 'alike' | 'groups'> {
  const parameters: Parameter[] = [];
  const alike = new Map<string, string>();
  const groups = new Set<string>();
  for (const each of sent.parameters) {
    groups.add(each.group);
    if ('as' in each) alike.set(each.group, each.as);
    else parameters.push(each);
  }
  return { parameters, alike, groups: [...groups] };
}

// Those whose paths begin so: "joint.crank." for the group "joint crank".
export function parametersWith(m: Model, prefix: string): Parameter[] {
  const own = m.parameters.filter((p) => p.path.startsWith(prefix));
  const group = prefix.slice(0, -1).replace('.', ' ');
  const like = m.alike?.get(group);
  if (own.length > 0 || like === undefined) return own;
  const skipped = like.length + 1;
  return m.parameters.filter((p) => p.group === like).map((p) => ({ ...p, group, path: prefix + p.path.slice(skipped) }));
}
