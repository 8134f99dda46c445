import { ask, command } from '../state/store';
import type { Vec3 } from '../protocol/messages';

// One hand on one body. While it runs a spring pulls (drag_begin, drag_move, drag_end); while paused the mechanism is
// posed. At most one message is under way: the latest target wins.

export class Drag {
  private id: number | null = null;
  private busy = false;
  private wanted: Vec3 | null = null;
  private ended = false;

  constructor(private body: string, private point: Vec3, private kind: 'pull' | 'pose') {}

  moveTo(target: Vec3): void {
    this.wanted = target;
    void this.work();
  }

  // What is left to say is said at once, not after the next answer: whatever the hand does next comes after it.
  end(): void {
    if (this.ended) return;
    this.ended = true;
    if (this.kind === 'pull' && this.id === null) return; // as soon as the drag has its number
    const target = this.wanted;
    this.wanted = null;
    if (target) void this.send(target).catch(() => undefined);
    if (this.id !== null) void ask('drag_end', { drag: this.id }).catch(() => undefined);
    this.id = null;
  }

  private async work(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.wanted && !(this.ended && this.id === null && this.kind === 'pull')) {
        const target = this.wanted;
        this.wanted = null;
        await this.send(target);
      }
      if (this.ended && this.id !== null) {
        const drag = this.id;
        this.id = null;
        await ask('drag_end', { drag });
      }
    } catch {
      this.wanted = null; // said already, or the connection is gone and the server has let go
    } finally {
      this.busy = false;
    }
  }

  private async send(target: Vec3): Promise<void> {
    const { body, point } = this;
    if (this.kind === 'pose') {
      if (!(await command('pose', { body, point, target }))) this.ended = true;
    } else if (this.id === null) {
      const answer = await command('drag_begin', { body, point, target });
      if (!answer) this.ended = true;
      else this.id = Number(answer.result?.drag);
    } else {
      await ask('drag_move', { drag: this.id, target });
    }
  }
}
