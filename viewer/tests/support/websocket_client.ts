import { randomBytes } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Assembly } from '../../src/protocol/assembly';
import { parseFrame, type Frame } from '../../src/protocol/frame';
import type { EditMessage, Icon, Joint, Model, Settings, Timeline, Watch } from '../../src/protocol/messages';

// A second client of the program, without the page: what it answers is the program's own word. RFC 6455, clients mask.

interface Answer {
  id: number;
  ok: boolean;
  error?: string;
  step: number;
  t: number;
  hash: string;
  result: Record<string, unknown>;
}

interface Message {
  type: string;
  model?: Model;
  icons?: Icon[];
  timeline?: Timeline;
  settings?: Settings;
  watches?: Watch[] | { watches: Watch[] };
}

export class SocketClient {
  frame: Frame | null = null;
  model: Model | null = null;
  icons: Icon[] = [];
  timeline: Timeline | null = null;
  settings: Settings | null = null;
  readonly edits: EditMessage[] = [];
  private watches: Watch[] = [];
  private buffer = Buffer.alloc(0);
  private waiting = new Map<number, (answer: Answer) => void>();
  private nextId = 1;
  private assembly = new Assembly();

  private constructor(private stream: Duplex, first: Buffer) {
    stream.on('data', (data: Buffer) => this.read(data));
    stream.on('error', () => undefined);
    if (first.length > 0) this.read(first);
  }

  static open(page: string): Promise<SocketClient> {
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': randomBytes(16).toString('base64') };
    return new Promise((resolve, reject) => {
      const request = get(page.replace('/?', '/ws?'), { headers });
      request.on('upgrade', (_: IncomingMessage, stream: Duplex, first: Buffer) => resolve(new SocketClient(stream, first)));
      request.on('response', (response) => reject(new Error(`refused: ${response.statusCode}`)));
      request.on('error', reject);
    });
  }

  async ask(cmd: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const id = this.nextId++;
    const answer = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.write(JSON.stringify({ id, cmd, args }));
    const { ok, error } = await answer;
    if (!ok) throw new Error(`${cmd}: ${error}`);
    return answer;
  }

  // Of a watched channel, in the latest frame.
  value(name: string): number {
    const i = this.watches.findIndex((watch) => watch.name === name);
    if (i < 0) throw new Error(`'${name}' is not watched`);
    return this.frame?.values[i] ?? NaN;
  }

  watched(name: string): boolean {
    const i = this.watches.findIndex((watch) => watch.name === name);
    return i >= 0 && Number.isFinite(this.frame?.values[i]);
  }

  joint(name: string): Joint | undefined {
    return this.model?.joints.find((joint) => joint.name === name);
  }

  // Positions x y z of a body, as sent.
  place(body: string): number[] {
    const b = this.model!.bodies.findIndex((other) => other.name === body);
    return [...this.frame!.poses.subarray(7 * b, 7 * b + 3)];
  }

  // Orientation w x y z of a body, as sent.
  orientation(body: string): number[] {
    const b = this.model!.bodies.findIndex((other) => other.name === body);
    return [...this.frame!.poses.subarray(7 * b + 3, 7 * b + 7)];
  }

  close(): void {
    this.stream.destroy();
  }

  private write(text: string): void {
    const data = Buffer.from(text);
    const mask = randomBytes(4);
    const head = Buffer.alloc(data.length < 126 ? 2 : 4);
    head[0] = 0x81;
    head[1] = 0x80 | (data.length < 126 ? data.length : 126);
    if (head.length === 4) head.writeUInt16BE(data.length, 2);
    this.stream.write(Buffer.concat([head, mask, data.map((byte, i) => byte ^ mask[i % 4]!)]));
  }

  private read(data: Buffer): void {
    this.buffer = Buffer.concat([this.buffer, data]);
    for (;;) {
      if (this.buffer.length < 2) return;
      const short = this.buffer[1]! & 127;
      const head = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (this.buffer.length < head) return;
      const size = short < 126 ? short : short === 126 ? this.buffer.readUInt16BE(2) : Number(this.buffer.readBigUInt64BE(2));
      if (this.buffer.length < head + size) return;
      const content = this.buffer.subarray(head, head + size);
      const opcode = this.buffer[0]! & 15;
      if (opcode === 1) this.receive(content.toString());
      else if (opcode === 2) this.frame = parseFrame(Uint8Array.from(content).buffer);
      this.buffer = this.buffer.subarray(head + size);
    }
  }

  private receive(text: string): void {
    const message = this.assembly.take(JSON.parse(text)) as (Answer & Message) | null;
    if (!message) return;
    if (message.type === 'answer') {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    }
    if (message.type === 'edit') this.edits.push(message as unknown as EditMessage);
    this.model = message.model ?? this.model;
    this.icons = message.icons ?? this.icons;
    this.settings = message.settings ?? this.settings;
    this.timeline = message.timeline ?? this.timeline;
    if (message.watches) this.watches = Array.isArray(message.watches) ? message.watches : message.watches.watches;
  }
}
