import type { Context } from '#db/context.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { TraceStore } from '#storage/trace-writer.ts';
import type { ReadingStore } from '#storage/reading-store.ts';
import type { Anchor, AnchorQuery } from '../anchor-queries.ts';
import type { RequestBatcher } from '../request-batcher.ts';
import type { Devices } from '../devices.ts';
import type { FieldEvents } from '../field-events.ts';
import type { DeviceStateWriter } from '../device-state-writer.ts';
import type { SessionRegistry } from '../session-registry.ts';
import type { SetAside } from '../set-aside.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import type { Turns } from '#nodes/turns.ts';

/** Services that operations use. */
export interface OperationTools {
  ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'secrets'>;
  turns: Turns;
  sessions: SessionRegistry;
  devices: Devices;
  deviceState: DeviceStateWriter;
  traces: TraceStore;
  writer: ReadingStore;
  events: EventWriter;
  fieldEvents: FieldEvents;
  setAside: SetAside;
  /** Loads newest stored rows in batches. */
  anchors: Pick<RequestBatcher<AnchorQuery, Anchor | undefined>, 'load'>;
  zone: Zone;
}
