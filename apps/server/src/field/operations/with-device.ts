import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult, WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { Device, MeterDevice } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import { Trace } from '../trace.ts';
import type { OperationTools } from './operation-tools.ts';
import { withMeter } from './with-meter.ts';

/** A device that is reached: a meter, or the DCU itself. */
export interface DeviceWork {
  link: DeviceLink;
  device: Device;
  /** The same, when it is a meter: it remembers what it told. */
  meter: MeterDevice | undefined;
  dcuId: string;
  traceId: string;
  now: number;
}

/** Runs `work` with a link to the item's device, keeps the trace, and reports. */
export function withDevice(
  tools: OperationTools,
  item: WorkItem,
  work: (device: DeviceWork) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  if (item.deviceKind === 'dcu') return withDcu(tools, item, work);
  return withMeter(tools, item, ({ link, device, dcuId, traceId, now }) => work({ link, device, meter: device, dcuId, traceId, now }));
}

async function withDcu(
  tools: OperationTools,
  item: WorkItem,
  work: (device: DeviceWork) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return { outcome: failed('DCU_OFFLINE'), traceId: undefined };
  const device = tools.devices.dcu(session.dcu);
  const now = tools.ctx.clock.now();
  const trace = new Trace({ dcuId: item.dcuId, meterId: null, sessionId: session.rowId }, now);
  const priority = item.priority <= LAST_OPERATOR_PRIORITY ? 'operator' : 'bulk';
  try {
    const outcome = await session.links.withLink(device, { priority, trace }, (link) =>
      work({ link, device, meter: undefined, dcuId: item.dcuId, traceId: trace.id, now }),
    );
    return { outcome, traceId: trace.frames.length === 0 ? undefined : trace.id };
  } finally {
    trace.close(tools.traces, tools.ctx.clock.now());
  }
}
