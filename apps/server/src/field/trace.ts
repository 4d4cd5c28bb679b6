import { randomUUIDv7 } from 'node:crypto';
import { stampsFrom } from '#platform/clock.ts';
import type { FrameOpener, KeptFrame } from '#storage/frames.ts';
import type { TraceStore } from '#storage/trace-writer.ts';

export interface TraceOwner {
  dcuId: string;
  meterId: string | null;
  sessionId: string | null;
  /** Task that caused the traffic. */
  taskId?: string | undefined;
}

/** Frames of one operation in both directions, with plain text where the key is known. */
export class Trace {
  /** UUIDv7 starts with the time, so that inserts touch neighbouring index pages only. */
  readonly id = randomUUIDv7();
  readonly owner: TraceOwner;
  readonly begunAt: number;
  /** Rising timestamps, also after a step of the wall clock. */
  readonly #stamp: () => number;
  readonly frames: KeptFrame[] = [];
  bytes = 0;
  #opener: FrameOpener | undefined;
  #isMixed = false;
  #isClosed = false;

  constructor(owner: TraceOwner, begunAt: number) {
    this.owner = owner;
    this.begunAt = begunAt;
    this.#stamp = stampsFrom(begunAt);
  }

  /** Frames after `close` are dropped: a queued request may be sent after its operation gave up. */
  add(direction: KeptFrame['direction'], octets: Uint8Array, plain: Uint8Array | undefined, at = this.#stamp()): void {
    if (this.#isClosed) return;
    this.frames.push({ at, direction, octets, plain });
    this.bytes += octets.length;
  }

  /** Sets the plain text of the last frame, which is known only after deciphering. */
  explainLast(plain: Uint8Array | undefined): void {
    const last = this.frames.at(-1);
    if (last !== undefined && plain !== undefined) last.plain = plain;
  }

  /** Sets the plain text of a push at its last received frame. */
  explainPush(plain: Uint8Array): void {
    const last = this.frames.findLast(({ direction }) => direction === 'up');
    if (last !== undefined) last.plain = plain;
  }

  /** Sets the key that deciphers the frames again. With one key for all frames, their plain text need not be stored. */
  setOpener(opener: FrameOpener): void {
    this.#isMixed ||= this.#opener !== undefined && this.#opener !== opener;
    this.#opener = opener;
  }

  /** Stores the completed trace, of routine collection perhaps not; an empty one is dropped. */
  close(store: TraceStore, { isRoutine = false } = {}): void {
    this.#isClosed = true;
    const { id, owner, begunAt, bytes, frames } = this;
    const opener = this.#isMixed ? undefined : this.#opener;
    if (frames.length > 0)
      store.storeTrace({ id, ...owner, begunAt, durationMs: this.#stamp() - begunAt, bytes, isRoutine, frames, opener });
  }
}
