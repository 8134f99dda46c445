import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { builtViewer, viewerSource, whyNot } from './browser';

// `lipkin view` as a child, and what it says of its state. LIPKIN_PROGRAM names the program.

export const lipkin = process.env.LIPKIN_PROGRAM ?? '';
export const whyNoProgram: string | false = whyNot || (lipkin === '' && 'LIPKIN_PROGRAM names no program');

interface Status {
  t: number;
  step: number;
  playing: boolean;
  hash: string;
  clients: number;
}

const kFarewell = 5000; // [ms]

// None outlives the tests, however they end.
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export class Program {
  private constructor(private child: ChildProcess, readonly url: string) {}

  static async start(args: string[], cwd = path.join(viewerSource, '..')): Promise<Program> {
    const child = spawn(lipkin, ['view', ...args, '--no-browser', '--viewer-dir', builtViewer], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    running.add(child);
    child.once('exit', () => running.delete(child));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout!.once('data', (data: Buffer) => resolve(data.toString().trim()));
      child.once('exit', (code) => reject(new Error(`the program ended with ${code}`)));
    });
    return new Program(child, url);
  }

  async status(): Promise<Status> {
    return (await (await fetch(this.url.replace('/?', '/api/status?'))).json()) as Status;
  }

  async scene(): Promise<string> {
    return (await fetch(this.url.replace('/?', '/api/scene.yaml?'))).text();
  }

  async stop(): Promise<void> {
    if (!running.has(this.child)) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill();
    const last = setTimeout(() => this.child.kill('SIGKILL'), kFarewell);
    await ended;
    clearTimeout(last);
  }
}
