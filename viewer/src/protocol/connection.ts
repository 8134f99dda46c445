import { Assembly } from './assembly';
import type { Answer, ServerMessage } from './messages';
import { parseFrame, type Frame } from './frame';

// A connection that comes back by itself. Commands get numbers; each returns a promise of its answer.

export type ConnectionState = 'connecting' | 'open' | 'waiting' | 'refused';

export interface ConnectionHandlers {
  message(message: ServerMessage): void;
  frame(frame: Frame): void;
  state(state: ConnectionState): void;
  trouble(text: string): void;
}

interface Socket {
  binaryType: string;
  readyState: number;
  onopen: (() => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(): void;
}

export interface ConnectionOptions {
  url: string;
  makeSocket?: (url: string) => Socket;
  firstDelay?: number; // [ms]
  longestDelay?: number; // [ms]
}

export class CommandError extends Error {}

const kOpen = 1;

export class Connection {
  private socket: Socket | null = null;
  private nextId = 1;
  private pending = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  private delay: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private everOpened = false;
  private assembly = new Assembly();
  private closed = false;

  constructor(
    private options: ConnectionOptions,
    private handlers: ConnectionHandlers,
  ) {
    this.delay = options.firstDelay ?? 250;
  }

  open(): void {
    clearTimeout(this.timer);
    this.closed = false;
    this.handlers.state('connecting');
    const make = this.options.makeSocket ?? ((url) => new WebSocket(url, 'lipkin.1') as unknown as Socket);
    const socket = make(this.options.url);
    this.socket = socket;
    this.assembly = new Assembly();
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => {
      this.everOpened = true;
      this.delay = this.options.firstDelay ?? 250;
      this.handlers.state('open');
    };
    socket.onmessage = (event) => this.receive(event.data);
    socket.onerror = null;
    socket.onclose = (event) => {
      if (socket === this.socket) this.lost(event);
    };
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket?.close();
  }

  get isOpen(): boolean {
    return this.socket?.readyState === kOpen;
  }

  // Answers with what the server answered; a refusal or a lost connection rejects.
  send(cmd: string, args: Record<string, unknown> = {}, at?: number): Promise<Answer> {
    if (!this.isOpen) return Promise.reject(new CommandError('not connected'));
    const id = this.nextId++;
    const line = at === undefined ? { id, cmd, args } : { id, cmd, args, at };
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.socket!.send(JSON.stringify(line));
    });
  }

  private receive(data: unknown): void {
    try {
      if (typeof data !== 'string') this.handlers.frame(parseFrame(data as ArrayBuffer));
      else this.dispatch(this.assembly.take(JSON.parse(data)));
    } catch (error) {
      this.handlers.trouble(error instanceof Error ? error.message : String(error));
    }
  }

  private dispatch(message: ServerMessage | null): void {
    if (message === null) return;
    if (message.type !== 'answer') {
      this.handlers.message(message);
      return;
    }
    const waiting = this.pending.get(message.id);
    if (!waiting) return;
    this.pending.delete(message.id);
    if (message.ok) waiting.resolve(message);
    else waiting.reject(new CommandError(message.error ?? 'refused'));
  }

  private lost(event: { code: number; reason: string }): void {
    for (const { reject } of this.pending.values()) reject(new CommandError('the connection was lost'));
    this.pending.clear();
    if (this.closed) return;
    if (event.reason) this.handlers.trouble(event.reason);
    // A wrong token is refused before the socket opens, like a program that has not started: keep trying, but say so.
    this.handlers.state(this.everOpened ? 'waiting' : 'refused');
    this.timer = setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(2 * this.delay, this.options.longestDelay ?? 4000);
  }
}

// The socket's address for a page's address; the token comes with the page.
export function socketUrl(page: { protocol: string; host: string; search: string }): string {
  const token = new URLSearchParams(page.search).get('token') ?? '';
  return `${page.protocol === 'https:' ? 'wss' : 'ws'}://${page.host}/ws?token=${encodeURIComponent(token)}`;
}
