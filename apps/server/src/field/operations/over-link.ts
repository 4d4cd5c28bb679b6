import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import { orderOf } from '@hes/contract/orders/every-order.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { Epoch } from '#nodes/epoch.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { Device } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { EndpointSession } from '../endpoint-session.ts';
import { Trace } from '../trace.ts';
import type { OperationTools } from './operation-tools.ts';

/** A device with an open link. */
export interface Reached<D extends Device = Device> {
  link: DeviceLink;
  device: D;
  dcuId: string;
  /** Proof that this node holds the connection; null: it is not adopted yet. */
  epoch: Epoch | null;
  traceId: string;
  taskId: string;
  now: number;
  /** An operator waits for the result. */
  urgent: boolean;
}

/** The DCU of the item has no session. */
export const DCU_IS_OFFLINE: WorkReport = { outcome: failed('DCU_OFFLINE'), traceId: undefined };
/** The direct meter of the item has no session. */
export const METER_IS_OFFLINE: WorkReport = { outcome: failed('METER_OFFLINE'), traceId: undefined };

/**
 * Whether no user ordered the item, and it only reads. A refill is none: it may end a gap for good, and its frames then show that the meter
 * has no such row.
 */
const isCollection = ({ source, kind }: WorkItem): boolean =>
  (source === 'plan' || source === 'system') && kind !== 'refill' && orderOf(kind)?.changesDevice === false;

/** Runs `work` with an open link to a device and stores the trace. */
export async function overLink<D extends Device>(
  tools: OperationTools,
  item: WorkItem,
  { session, device }: { session: EndpointSession; device: D },
  work: (reached: Reached<D>) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const now = tools.ctx.clock.now();
  const meterId = device.kind === 'meter' ? device.id : null;
  const trace = new Trace({ dcuId: item.dcuId, meterId, sessionId: session.rowId, taskId: item.taskId }, now);
  const priority = item.priority <= LAST_OPERATOR_PRIORITY ? 'operator' : 'bulk';
  let isRoutine = false;
  try {
    const outcome = await session.links.withLink(device, { priority, trace }, (link) =>
      work({
        link,
        device,
        dcuId: item.dcuId,
        epoch: session.rowId,
        traceId: trace.id,
        taskId: item.taskId,
        now,
        urgent: priority === 'operator',
      }),
    );
    isRoutine = outcome.ok && isCollection(item);
    return { outcome, traceId: trace.frames.length === 0 ? undefined : trace.id };
  } finally {
    trace.close(tools.traces, { isRoutine });
  }
}
