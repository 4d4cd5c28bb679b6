import { randomUUID } from 'node:crypto';
import type { LiveFrame } from '@hes/contract/debug/dcu-log.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { LONG_AGO, monotonicNow, msSince } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { explainFrame, withoutSecrets } from '#storage/explain-frame.ts';
import type { EndedTrace, TraceStore } from '#storage/trace-writer.ts';
import { findCaptures, findMeterSns, insertFrames, type Capture, type CapturedFrame } from './capture-queries.ts';

const WRITE_EVERY_MS = 500;
/** A console can show so many a second; what is beyond is in the table. */
const LIVE_PER_SECOND = 50;
const QUEUE_FRAMES = 5_000;

type CaptureContext = Pick<Context, 'pool' | 'bus' | 'clock' | 'log'>;

/** Stands before the traces and keeps the frames of those DCUs somebody listens to; of all others nothing is looked at. */
export class FrameCapture implements TraceStore {
  readonly #ctx: CaptureContext;
  readonly #inner: TraceStore;
  #captures = new Map<string, Capture>();
  #snOf: ReadonlyMap<string, string> = new Map();
  #queue: CapturedFrame[] = [];
  readonly #stopListening: () => void;
  #looking: Promise<void>;
  #writing: NodeJS.Timeout | undefined;
  #told = { since: LONG_AGO, count: 0 };

  constructor(ctx: CaptureContext, inner: TraceStore) {
    this.#ctx = ctx;
    this.#inner = inner;
    this.#looking = this.#look();
    this.#stopListening = ctx.bus.subscribe(
      ({ message }) => {
        // One look after the other: the last to be ordered is the last to be taken over.
        if (message.type === 'dculog.capture') this.#looking = this.#looking.then(() => this.#look());
      },
      (topic) => topic.startsWith('dculog:'),
    );
  }

  /** Who is to be listened to, as it was switched last. */
  async #look(): Promise<void> {
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

  /** Ends when everything that was switched so far is taken over. */
  settled(): Promise<void> {
    return this.#looking;
  }

  storeTrace(trace: EndedTrace): void {
    this.#inner.storeTrace(trace);
    const capture = this.#captures.get(trace.dcuId);
    if (capture === undefined || capture.endsAt.getTime() <= this.#ctx.clock.now()) return;
    if (capture.meterIds.length > 0 && (trace.meterId === null || !capture.meterIds.includes(trace.meterId))) return;
    const frames = explainExchange(trace);
    if (capture.level === 'errors' && frames.every((frame) => frame.result === null)) return;
    const wanted = frames.filter((frame) => capture.direction === null || frame.direction === capture.direction);
    if (wanted.length === 0) return;
    this.#tell(trace.dcuId, wanted);
    this.#queue.push(...wanted);
    if (this.#queue.length > QUEUE_FRAMES) this.#queue.splice(0, this.#queue.length - QUEUE_FRAMES);
    this.#writing ??= setTimeout(() => void this.#write(), WRITE_EVERY_MS);
  }

  #tell(dcuId: string, frames: CapturedFrame[]): void {
    if (msSince(this.#told.since) >= 1000) this.#told = { since: monotonicNow(), count: 0 };
    const room = Math.max(0, LIVE_PER_SECOND - this.#told.count);
    this.#told.count += frames.length;
    const data = { frames: frames.slice(0, room).map((frame) => liveOf(frame, this.#snOf)), left: Math.max(0, frames.length - room) };
    this.#ctx.bus.publish(`dculog:${dcuId}`, { type: 'dculog.frame', ts: new Date(this.#ctx.clock.now()).toISOString(), id: dcuId, data });
  }

  async #write(): Promise<void> {
    this.#writing = undefined;
    const frames = this.#queue.splice(0);
    if (frames.length === 0) return;
    try {
      await insertFrames(this.#ctx.pool, frames);
    } catch (error) {
      this.#ctx.log.warn('Captured frames could not be written', { error, frames: frames.length });
    }
  }

  async stop(): Promise<void> {
    this.#stopListening();
    await this.#looking;
    clearTimeout(this.#writing);
    await this.#write();
  }
}

/** The frames of an exchange, each with what it is and, of an answer, how long it took. */
function explainExchange(trace: EndedTrace): CapturedFrame[] {
  const { dcuId, meterId, sessionId, id: traceId, taskId = null, frames: kept } = trace;
  let asked: number | undefined;
  return kept.map((raw, index) => {
    const frame = withoutSecrets(raw);
    const { service, isPush, result } = explainFrame(raw);
    const latencyMs = frame.direction === 'up' && asked !== undefined ? Math.round(frame.at - asked) : null;
    asked = frame.direction === 'down' ? frame.at : undefined;
    // The last word was ours, and it was a question.
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
