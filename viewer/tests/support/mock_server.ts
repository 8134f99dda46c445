import type { Server } from 'node:http';
import { FrameFlag } from '../../src/protocol/frame';
import type { Icon, Watch } from '../../src/protocol/messages';
import { emptyFrame, writeFrame } from './frame_writer';
import type { MockScene } from './mock_scenes';
import { Peer, serve } from './websocket_server';

// Stands in for `lipkin view` where only the page is tested: time runs, commands are noted and answered.

interface Line {
  id: number;
  cmd: string;
  args: Record<string, unknown>;
}

export class MockServer {
  readonly lines: Line[] = [];
  playing = true;
  refuses = false; // whoever comes is sent away
  t = 0;
  private speed = 1;
  private icons: Icon[] = [];
  private watches: Watch[];
  private watchVersion = 1;
  private peers: Peer[] = [];
  private timer: ReturnType<typeof setInterval>;
  private server: Server | null = null;
  port = 0;

  constructor(private scene: MockScene, private folder: string) {
    this.watches = scene.model.outputs.map((output) => ({ ...output, error: null }));
    this.timer = setInterval(() => this.tick(), 1000 / 60);
  }

  async start(port = 0): Promise<string> {
    ({ server: this.server, port: this.port } = await serve(this.folder, (stream) => this.welcome(stream), port));
    return `http://127.0.0.1:${this.port}/?token=0123456789abcdef0123456789abcdef`;
  }

  async stop(): Promise<void> {
    this.dropAll();
    clearInterval(this.timer);
    await new Promise((resolve) => this.server?.close(resolve));
  }

  dropAll(): void {
    for (const peer of this.peers) peer.drop();
    this.peers = [];
  }

  sent(cmd: string): Line[] {
    return this.lines.filter((line) => line.cmd === cmd);
  }

  private welcome(stream: ConstructorParameters<typeof Peer>[0]): void {
    if (this.refuses) return void stream.destroy();
    const peer = new Peer(stream, (text) => this.receive(peer, JSON.parse(text) as Line));
    this.peers.push(peer);
    const settings = {
      stepper: 'euler', solver: 'hybrid', coordinates: 'generalized', stabilization: 'projection', dt: 0.001,
      relative_tolerance: 1e-6, absolute_tolerance: 1e-9, duration: 10,
      choices: { stepper: ['euler', 'moreau'], solver: ['hybrid', 'impulses'], coordinates: ['generalized', 'maximal'], stabilization: ['projection', 'split'] },
    };
    const { model } = this.scene;
    this.say(peer, {
      type: 'hello', protocol: 1, version: 'mock', client: 1, role: 'driver', drivers: 1, clients: [{ client: 1, role: 'driver' }],
      limits: { message_bytes: 1 << 20 }, model, settings, run: this.run(), timeline: this.timeline(), icons: this.icons,
      watches: { version: this.watchVersion, watches: this.watches },
    });
  }

  private say(peer: Peer, message: unknown): void {
    peer.send(JSON.stringify(message));
  }

  private tell(message: unknown): void {
    for (const peer of this.peers) this.say(peer, message);
  }

  private run() {
    return {
      playing: this.playing, speed: this.speed, t: this.t, step: this.step, hash: '0', failed: null, recording: null,
      violation: { position: 1e-9, velocity: 0 }, energy: { initial: 1, now: 1, invented: 0 }, deadline_misses: 0, unconverged_steps: 0,
    };
  }

  private timeline() {
    const edits = [{ step: 500, t: 0.5, cmd: 'set', label: 'set body.OA.mass' }];
    const branch = { branch: 0, parent: null, fork_step: 0, fork_t: 0, end_step: this.step, end_t: Math.max(2, this.t), name: '', edits };
    return { branch: 0, branches: [branch], can_undo: 'set', can_redo: null };
  }

  private get step(): number {
    return Math.round(1000 * this.t);
  }

  private tick(): void {
    if (this.playing) this.t += this.speed / 60;
    this.sendFrame();
  }

  private sendFrame(): void {
    const named = this.scene.values(this.t);
    const frame = {
      ...emptyFrame(), step: this.step, t: this.t, flags: this.playing ? FrameFlag.playing : 0, speed: this.speed, watchVersion: this.watchVersion,
      positionViolation: 1e-9 * (1.5 + Math.sin(5 * this.t)), poses: this.scene.poses(this.t), contacts: this.scene.contacts(this.t),
      values: new Float64Array(this.watches.map((w) => named[w.name] ?? Math.sin(this.t + w.name.length))),
    };
    const bytes = writeFrame(frame);
    for (const peer of this.peers) peer.send(bytes);
  }

  private receive(peer: Peer, line: Line): void {
    this.lines.push(line);
    const result = this.apply(line);
    this.say(peer, { type: 'answer', id: line.id, ok: true, step: this.step, t: this.t, hash: '0', result });
  }

  private apply({ cmd, args }: Line): Record<string, unknown> {
    switch (cmd) {
      case 'play': case 'pause':
        this.playing = cmd === 'play';
        this.tell({ type: 'run', run: this.run() });
        return {};
      case 'speed':
        this.speed = Number(args.factor);
        this.tell({ type: 'run', run: this.run() });
        return {};
      case 'seek':
        this.t = Number(args.t ?? Number(args.step) / 1000);
        return {};
      case 'watch':
        this.watches = [...this.watches, ...(args.channels as Watch[]).map((w) => ({ ...w, error: null }))];
        this.tell({ type: 'watches', version: ++this.watchVersion, watches: this.watches });
        return {};
      case 'history': return { t: [], values: {} };
      case 'drag_begin': return { drag: 1, effective_mass: 0.3 };
      case 'apply_force': case 'apply_torque': case 'apply_motion': return this.addIcon(cmd.slice(6) as Icon['kind'], args);
      default: return {};
    }
  }

  private addIcon(kind: Icon['kind'], args: Record<string, unknown>): Record<string, unknown> {
    const name = `${kind}${this.icons.length + 1}`;
    this.icons = [...this.icons, { frame: 'world', law: { kind: 'constant' }, start: this.t, duration: null, ...args, vector: args[kind], name, kind } as Icon];
    this.tell({ type: 'model', model: this.scene.model, icons: this.icons });
    return { name };
  }
}
