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

export class Program {
  private constructor(private child: ChildProcess, readonly url: string) {}

  static async start(args: string[], cwd = path.join(viewerSource, '..')): Promise<Program> {
    const child = spawn(lipkin, ['view', ...args, '--no-browser', '--viewer-dir', builtViewer], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
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
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill();
    await ended;
  }
}
