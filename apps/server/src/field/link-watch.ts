import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';

const CHANGES = 3;
const WITHIN_MS = 600_000;
/** In the log of a DCU, above what it can say itself. */
const LINK_UNSTABLE = 60_005;

/** Comings and goings of DCUs: three within ten minutes make a link unstable, which is said once until it has held for as long. */
export class Flapping {
  readonly #changes = new Map<string, MonotonicMs[]>();
  readonly #told = new Set<string>();

  /** Takes note of a change; answers whether it is the one to tell. */
  changed(dcuId: string, at: MonotonicMs): boolean {
    const recent = [...(this.#changes.get(dcuId) ?? []).filter((before) => msBetween(before, at) < WITHIN_MS), at].slice(-CHANGES);
    this.#changes.set(dcuId, recent);
    if (recent.length === 1) this.#told.delete(dcuId);
    if (recent.length < CHANGES || this.#told.has(dcuId)) return false;
    this.#told.add(dcuId);
    return true;
  }
}

/** Raises one event for a DCU that keeps coming and going, where each change alone is only a line of its sessions. Returns the way to stop. */
export function watchLinks({ bus, clock, log }: Pick<Context, 'bus' | 'clock' | 'log'>, events: EventWriter): () => void {
  const flapping = new Flapping();
  return bus.subscribe(
    ({ message }) => {
      if (message.type !== 'dcu.status' || !flapping.changed(message.id, clock.monotonic())) return;
      const event = { log: 'dcu' as const, code: LINK_UNSTABLE, occurAt: clock.now(), message: '', raw: new Uint8Array(0) };
      void events
        .store({ deviceKind: 'dcu', meterId: null, dcuId: message.id, source: 'push', traceId: null, events: [event] })
        .catch((error: unknown) => log.warn('An unstable link could not be told', { error, dcuId: message.id }));
    },
    // These come whether anybody follows them or not.
    () => false,
  );
}
