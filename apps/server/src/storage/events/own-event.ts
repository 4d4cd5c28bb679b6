import type { EventWriter } from './event-writer.ts';

/** An event about the head-end itself and no device. */
export interface OwnEvent {
  code: number;
  /** Epoch milliseconds. */
  occurAt: number;
  message: string;
}

/** Stores an event in the log of the head-end; resolves after the commit. */
export async function storeOwnEvent(events: Pick<EventWriter, 'store'>, own: OwnEvent): Promise<void> {
  const event = { log: 'dcu' as const, ...own, raw: new Uint8Array(0) };
  await events.store({ deviceKind: 'head_end', meterId: null, dcuId: null, source: 'push', traceId: null, events: [event] });
}
