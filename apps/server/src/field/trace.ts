import { randomUUIDv7 } from 'node:crypto';
import { stampsFrom } from '#platform/clock.ts';
import type { FrameOpener, KeptFrame } from '#storage/frames.ts';
import type { TraceStore } from '#storage/trace-writer.ts';

export interface TraceOwner {
  dcuId: string;
  meterId: string | null;
  sessionId: string | null;
  /** The task it was work for. */
  taskId?: string | undefined;
}

/** The exact bytes of one piece of work, both ways, with the plain text where we hold the key. */
export class Trace {
  /** Begins with the time, so that new traces lie side by side in the index: any other would touch pages all over it. */
  readonly id = randomUUIDv7();
  readonly owner: TraceOwner;
  readonly begunAt: number;
  /** Stamps that follow the first, also when the wall clock is set meanwhile. */
  readonly #stamp: () => number;
  readonly frames: KeptFrame[] = [];
  bytes = 0;
  #opener: FrameOpener | undefined;
  #isMixed = false;

  constructor(owner: TraceOwner, begunAt: number) {
    this.owner = owner;
    this.begunAt = begunAt;
    this.#stamp = stampsFrom(begunAt);
  }

  add(direction: KeptFrame['direction'], octets: Uint8Array, plain: Uint8Array | undefined, at = this.#stamp()): void {
    this.frames.push({ at, direction, octets, plain });
    this.bytes += octets.length;
  }

  /** The plain text of the frame that came last is known only after it was deciphered. */
  explainLast(plain: Uint8Array | undefined): void {
    const last = this.frames.at(-1);
    if (last !== undefined && plain !== undefined) last.plain = plain;
  }

  /** The plain text of what came unasked, beside the frame that made it whole. */
  explainPush(plain: Uint8Array): void {
    const last = this.frames.findLast(({ direction }) => direction === 'up');
    if (last !== undefined) last.plain = plain;
  }

  /** Who holds this can give the plain text of protected frames again. With two of them each frame keeps its own. */
  openedBy(opener: FrameOpener): void {
    this.#isMixed ||= this.#opener !== undefined && this.#opener !== opener;
    this.#opener = opener;
  }

  /** Hands it on when it is complete; of an exchange that never began there is nothing to keep. */
  close(store: TraceStore): void {
    const { id, owner, begunAt, bytes, frames } = this;
    const opener = this.#isMixed ? undefined : this.#opener;
    if (frames.length > 0) store.storeTrace({ id, ...owner, begunAt, durationMs: this.#stamp() - begunAt, bytes, frames, opener });
  }
}
