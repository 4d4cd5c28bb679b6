import { randomUUID } from 'node:crypto';
import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { LiveFrame } from '@hes/contract/debug/dcu-log.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { LONG_AGO, monotonicNow, msSince } from '#platform/clock.ts';
import { DebouncedFlush } from '#platform/debounced-flush.ts';
import type { Context } from '#db/context.ts';
import { explainFrame, withoutSecrets } from '#storage/explain-frame.ts';
import { isInShare } from '#storage/trace-share.ts';
import type { EndedTrace, TraceStore } from '#storage/trace-writer.ts';
import { findCaptures, findMeterSns, insertFrames, type Capture, type CapturedFrame } from './capture-queries.ts';

const WRITE_EVERY_MS = 500;
/** Frames a second that are published to consoles; all are written into the table. */
const LIVE_PER_SECOND = 50;
const QUEUE_FRAMES = 5_000;

type CaptureContext = Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;

/** Traces that are to be kept whatever their result, until their dialogues end. */
const MAX_KEPT = 10_000;
const ALL_PERCENT = 100;

/**
 * Decorates the store of traces: drops those of routine collection beyond their share, captures the frames of DCUs that a user has chosen, and
 * decodes no others.
 */
export class FrameCapture implements TraceStore {
  readonly #ctx: CaptureContext;
  readonly #inner: TraceStore;
  #captures = new Map<string, Capture>();
  #snOf: ReadonlyMap<string, string> = new Map();
  #queue: CapturedFrame[] = [];
  readonly #stopListening: () => void;
  #reloading: Promise<void>;
  readonly #flush: DebouncedFlush;
  #published = { since: LONG_AGO, count: 0 };

  readonly #sharePercent: number;
  readonly #kept = new BoundedCache<string, true>(MAX_KEPT);

  constructor(ctx: CaptureContext, inner: TraceStore, sharePercent = ALL_PERCENT) {
    this.#ctx = ctx;
    this.#sharePercent = sharePercent;
    this.#inner = inner;
    this.#flush = new DebouncedFlush(() => this.#write(), {
      quietMs: WRITE_EVERY_MS,
      longestMs: WRITE_EVERY_MS,
      onError: (error) => ctx.log.warn('Captured frames could not be written', { error }),
    });
    this.#reloading = this.#reload();
    this.#stopListening = ctx.bus.subscribe(({ message }) => {
      // Reloads run one after the other, so that the newest choice is applied last.
      if (message.type === 'dculog.capture') this.#reloading = this.#reloading.then(() => this.#reload());
    });
  }

  /** Loads the chosen DCUs. */
  async #reload(): Promise<void> {
    try {
      const captures = await findCaptures(this.#ctx.pool);
      this.#snOf =
        captures.length === 0
          ? new Map()
          : await findMeterSns(
              this.#ctx.pool,
              captures.map((capture) => capture.dcuId),
            );
      this.#captures = new Map(captures.map((capture) => [capture.dcuId, capture]));
    } catch (error) {
      this.#ctx.log.warn('The captures could not be read', { error });
    }
  }

  /** Resolves when every choice made so far is applied. */
  settled(): Promise<void> {
    return this.#reloading;
  }

  storeTrace(trace: EndedTrace): void {
    const capture = this.#captureOf(trace);
    if (capture !== undefined || this.#isStored(trace)) this.#inner.storeTrace(trace);
    if (capture === undefined) return;
    const frames = explainExchange(trace);
    if (capture.level === 'errors' && frames.every((frame) => frame.result === null)) return;
    const wanted = frames.filter((frame) => capture.direction === null || frame.direction === capture.direction);
    if (wanted.length === 0) return;
    this.#publish(trace.dcuId, wanted);
    this.#queue.push(...wanted);
    if (this.#queue.length > QUEUE_FRAMES) this.#queue.splice(0, this.#queue.length - QUEUE_FRAMES);
    this.#flush.schedule();
  }

  /** Keeps a trace that has not ended yet, because an event refers to it. */
  keep(traceId: string): void {
    this.#kept.set(traceId, true);
  }

  #isStored({ id, isRoutine = false }: EndedTrace): boolean {
    return !isRoutine || this.#kept.get(id) === true || isInShare(id, this.#sharePercent);
  }

  #captureOf({ dcuId, meterId }: EndedTrace): Capture | undefined {
    const capture = this.#captures.get(dcuId);
    if (capture === undefined || capture.endsAt.getTime() <= this.#ctx.clock.now()) return undefined;
    const isChosen = capture.meterIds.length === 0 || (meterId !== null && capture.meterIds.includes(meterId));
    return isChosen ? capture : undefined;
  }

  #publish(dcuId: string, frames: CapturedFrame[]): void {
    if (msSince(this.#published.since) >= 1000) this.#published = { since: monotonicNow(), count: 0 };
    const room = Math.max(0, LIVE_PER_SECOND - this.#published.count);
    this.#published.count += frames.length;
    const data = { frames: frames.slice(0, room).map((frame) => liveOf(frame, this.#snOf)), left: Math.max(0, frames.length - room) };
    this.#ctx.bus.publish(`dculog:${dcuId}`, { type: 'dculog.frame', ts: new Date(this.#ctx.clock.now()).toISOString(), id: dcuId, data });
  }

  async #write(): Promise<void> {
    const frames = this.#queue.splice(0);
    if (frames.length > 0) await insertFrames(this.#ctx.pool, frames);
  }

  async stop(): Promise<void> {
    this.#stopListening();
    await this.#reloading;
    await this.#flush.flushAll();
  }
}

/** Frames of a trace with their service; answers also with their latency. */
function explainExchange(trace: EndedTrace): CapturedFrame[] {
  const { dcuId, meterId, sessionId, id: traceId, taskId = null, frames: kept } = trace;
  let asked: number | undefined;
  return kept.map((raw, index) => {
    const frame = withoutSecrets(raw);
    const { service, isPush, result } = explainFrame(raw);
    const latencyMs = frame.direction === 'up' && asked !== undefined ? Math.round(frame.at - asked) : null;
    asked = frame.direction === 'down' ? frame.at : undefined;
    // The trace ends with a request.
    const isUnanswered = frame.direction === 'down' && index === kept.length - 1 && !isPush;
    return {
      dcuId,
      at: new Date(frame.at),
      direction: frame.direction,
      channel: isPush ? 'P' : meterId === null ? 'D' : 'M',
      meterId,
      service,
      octets: Buffer.from(frame.octets),
      plain: frame.plain === undefined ? null : Buffer.from(frame.plain),
      latencyMs,
      result: result ?? (isUnanswered ? 'noAnswer' : null),
      sessionId,
      traceId,
      taskId,
    };
  });
}

const liveOf = (frame: CapturedFrame, snOf: ReadonlyMap<string, string>): LiveFrame => ({
  key: randomUUID(),
  dcuId: frame.dcuId,
  at: frame.at.toISOString(),
  direction: frame.direction,
  channel: frame.channel,
  meterId: frame.meterId,
  meterSn: frame.meterId === null ? null : (snOf.get(frame.meterId) ?? null),
  service: frame.service,
  hex: toHex(frame.octets),
  octets: frame.octets.length,
  latencyMs: frame.latencyMs,
  result: frame.result,
  note: null,
  sessionId: frame.sessionId,
  traceId: frame.traceId,
  taskId: frame.taskId,
});
