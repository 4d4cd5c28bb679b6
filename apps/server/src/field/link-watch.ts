import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';

const CHANGES = 3;
const WITHIN_MS = 600_000;
/** Event code in the log of a DCU, above the codes that a DCU uses itself. */
const LINK_UNSTABLE = 60_005;

/** Detects unstable links: three status changes of a DCU within ten minutes. Reports each once, until the link is stable for ten minutes. */
export class FlapDetector {
  readonly #changes = new Map<string, MonotonicMs[]>();
  readonly #reported = new Set<string>();

  /** Records a status change; returns whether an event is to be raised. */
  recordChange(dcuId: string, at: MonotonicMs): boolean {
    const recent = [...(this.#changes.get(dcuId) ?? []).filter((before) => msBetween(before, at) < WITHIN_MS), at].slice(-CHANGES);
    this.#changes.set(dcuId, recent);
    if (recent.length === 1) this.#reported.delete(dcuId);
    if (recent.length < CHANGES || this.#reported.has(dcuId)) return false;
    this.#reported.add(dcuId);
    return true;
  }
}

/** Raises an event for a DCU whose link is unstable. Returns a function that stops it. */
export function watchLinks({ bus, clock, log }: Pick<Context, 'bus' | 'clock' | 'log'>, events: EventWriter): () => void {
  const flaps = new FlapDetector();
  return bus.subscribe(({ message, isRemote }) => {
    // The node that publishes a status counts it.
    if (isRemote || message.type !== 'dcu.status' || !flaps.recordChange(message.id, clock.monotonic())) return;
    const event = { log: 'dcu' as const, code: LINK_UNSTABLE, occurAt: clock.now(), message: '', raw: new Uint8Array(0) };
    void events
      .store({ deviceKind: 'dcu', meterId: null, dcuId: message.id, source: 'push', traceId: null, events: [event] })
      .catch((error: unknown) => log.warn('The event of an unstable link could not be stored', { error, dcuId: message.id }));
  });
}
