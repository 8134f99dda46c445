import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openPage, until } from './browser';
import { Program } from './program';
import { SocketClient } from './websocket_client';

// A page on the running program, and a second client that asks the program itself what happened.

export interface Place {
  x: number;
  y: number;
}

interface Hook {
  lipkin: {
    placeOf(kind: string, name: string): Place | null;
    settledPoses(): number[] | null;
    placeOfHandle(owner: string, role: string): Place | null;
  };
}

export class Stage {
  private constructor(readonly program: Program, readonly page: Page, readonly errors: string[], readonly truth: SocketClient) {}

  // The page comes first: it drives. A stage that one test opens is closed with it, also where it fails.
  static async open(browser: Browser, args: string[], { folder, t }: { folder?: string; t?: TestContext } = {}): Promise<Stage> {
    const program = await Program.start(args, folder);
    t?.after(() => program.stop());
    try {
      const { page, errors } = await openPage(browser, program.url);
      const stage = new Stage(program, page, errors, await SocketClient.open(program.url));
      t?.after(() => stage.close());
      return stage;
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.truth.close();
    await this.program.stop();
    await this.page.close();
  }

  // In the window, and in the picture there.
  placeOf(kind: 'body' | 'joint', name: string): Promise<Place> {
    return this.found(() => this.page.evaluate(([k, n]) => (window as unknown as Hook).lipkin.placeOf(k!, n!), [kind, name]), `${name} in the picture`);
  }

  placeOfHandle(owner: string, role: string): Promise<Place> {
    return this.found(() => this.page.evaluate(([o, r]) => (window as unknown as Hook).lipkin.placeOfHandle(o!, r!), [owner, role]), `the handle of ${owner}`);
  }

  async pull(from: Place, right: number, down: number, whileHeld: () => Promise<void> = async () => undefined): Promise<void> {
    await this.page.mouse.move(from.x, from.y);
    await this.page.mouse.down();
    try {
      await this.page.mouse.move(from.x + right, from.y + down, { steps: 6 });
      await whileHeld();
    } finally {
      await this.page.mouse.up();
    }
  }

  async press(...keys: string[]): Promise<void> {
    await this.page.focus('#picture');
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async setPlaying(playing: boolean): Promise<void> {
    const before = (await this.program.status()).playing;
    await this.shows(before); // the key does the other thing
    if (before !== playing) await this.press(' ');
    await until(async () => (await this.program.status()).playing === playing, playing ? 'playing' : 'paused');
    await this.shows(playing);
    if (!playing) await this.settled();
  }

  // Goes on from a pause, maybe to the next one at once.
  async goOn(): Promise<void> {
    await this.shows(false);
    await this.press(' ');
  }

  private async shows(playing: boolean): Promise<void> {
    await this.page.waitForSelector(`button.play[aria-label=${playing ? 'Pause' : 'Play'}]`);
  }

  // By a pause that is due there.
  async pausedAt(step: number): Promise<void> {
    await until(async () => !(await this.program.status()).playing && (await this.program.status()).step >= step, `step ${step}`);
    assert.equal((await this.program.status()).step, step);
  }

  // Until the picture shows the state that stands still.
  async settled(): Promise<void> {
    const { t } = await this.program.status();
    await until(async () => Number.parseFloat((await this.page.textContent('.clock .time')) ?? '') === Number(t.toFixed(3)), 'the picture to catch up');
    const drawn = () => this.page.evaluate(() => (window as unknown as Hook).lipkin.settledPoses());
    await until(async () => String(await drawn()) === String([...this.truth.frame!.poses]), 'the picture to be drawn');
  }

  pick(kind: string, name: string): Promise<void> {
    return this.page.click(`[data-kind=${kind}][data-name=${name}]`);
  }

  async type(label: string, value: string): Promise<void> {
    const field = this.page.getByLabel(label, { exact: true });
    await field.fill(value);
    await field.press('Enter');
  }

  async hash(): Promise<string> {
    return (await this.program.status()).hash;
  }

  private async found(look: () => Promise<Place | null>, what: string): Promise<Place> {
    const box = (await this.page.locator('#picture').boundingBox())!;
    const inPicture = ({ x, y }: Place) => x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height;
    let place: Place | null = null;
    await until(async () => (place = await look()) !== null && inPicture(place), what);
    return place!;
  }
}
