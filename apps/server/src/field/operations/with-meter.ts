import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult, WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { Trace } from '../trace.ts';
import type { OperationTools } from './operation-tools.ts';

/** One meter, reached: what an operation needs to read it and to hand on what it read. */
export interface MeterWork {
  link: DeviceLink;
  device: MeterDevice;
  dcuId: string;
  traceId: string;
  now: number;
  /** Somebody waits for it. */
  urgent: boolean;
  /** Readings on their way into the database: the item ends when they are stored. */
  storing(stored: Promise<unknown>): void;
}

/** Runs `work` with a link to the item's meter, keeps the trace, and reports. */
export async function withMeter(
  tools: OperationTools,
  item: WorkItem,
  work: (meter: MeterWork) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return { outcome: failed('DCU_OFFLINE'), traceId: undefined };
  const device = item.meterId === null ? undefined : await tools.devices.meter(item.meterId);
  if (device === undefined) return { outcome: failed('INTERNAL', 'There is no such meter'), traceId: undefined };
  const now = tools.ctx.clock.now();
  const trace = new Trace({ dcuId: item.dcuId, meterId: device.id, sessionId: session.rowId }, now);
  const priority = item.priority <= LAST_OPERATOR_PRIORITY ? 'operator' : 'bulk';
  const stored: Promise<unknown>[] = [];
  const storing = (promise: Promise<unknown>) => {
    stored.push(promise);
    // Whoever ends the item looks at it later; until then a failure must not count as unhandled.
    promise.catch(() => undefined);
  };
  try {
    const outcome = await session.links.withLink(device, { priority, trace }, (link) =>
      work({ link, device, dcuId: item.dcuId, traceId: trace.id, now, urgent: priority === 'operator', storing }),
    );
    if (outcome.ok) tools.presence.meterRead(device.id, now);
    return { outcome, traceId: trace.frames.length === 0 ? undefined : trace.id, stored: Promise.all(stored) };
  } finally {
    trace.close(tools.traces, tools.ctx.clock.now());
  }
}
