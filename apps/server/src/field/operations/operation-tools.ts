import type { Context } from '#platform/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { ReadingWriter } from '#storage/writer.ts';
import type { Devices } from '../devices.ts';
import type { Presence } from '../presence.ts';
import type { Sessions } from '../sessions.ts';
import type { TraceWriter } from '../trace.ts';
import type { Zone } from '#platform/zone.ts';

/** What operations work with. */
export interface OperationTools {
  ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log'>;
  sessions: Sessions;
  devices: Devices;
  presence: Presence;
  traces: TraceWriter;
  writer: ReadingWriter;
  events: EventWriter;
  zone: Zone;
}
