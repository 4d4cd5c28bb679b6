import type { DeviceEvents, EventClass } from '../../../apps/server/src/storage/events/event-writer.ts';

/** Events that the head-end raised in the running seed. */
export const raised: DeviceEvents[] = [];

/** Replaces the writer of events, whose tables are not modelled, by a list in memory. */
export class EventWriter {
  store(device: DeviceEvents): Promise<EventClass[]> {
    raised.push(device);
    return Promise.resolve(device.events.map(() => ({ isFresh: true, direction: 'occur', abnormalLevel: null })));
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }
}
