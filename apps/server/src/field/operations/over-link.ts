import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import type { Device } from '../devices.ts';
import type { DeviceLink } from '../link.ts';
import type { Session } from '../session.ts';
import { Trace } from '../trace.ts';
import type { OperationTools } from './operation-tools.ts';

/** A device that is reached, whatever it is. */
export interface Reached<D extends Device = Device> {
  link: DeviceLink;
  device: D;
  dcuId: string;
  traceId: string;
  taskId: string;
  now: number;
  /** Somebody waits for it. */
  urgent: boolean;
}

/** There is no session with the DCU the work goes through. */
export const DCU_IS_OFFLINE: WorkReport = { outcome: failed('DCU_OFFLINE'), traceId: undefined };

/** Runs `work` with a link to a device, keeps the exact bytes as a trace, and reports. */
export async function overLink<D extends Device>(
  tools: OperationTools,
  item: WorkItem,
  { session, device }: { session: Session; device: D },
  work: (reached: Reached<D>) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const now = tools.ctx.clock.now();
  const meterId = device.kind === 'meter' ? device.id : null;
  const trace = new Trace({ dcuId: item.dcuId, meterId, sessionId: session.rowId, taskId: item.taskId }, now);
  const priority = item.priority <= LAST_OPERATOR_PRIORITY ? 'operator' : 'bulk';
  try {
    const outcome = await session.links.withLink(device, { priority, trace }, (link) =>
      work({ link, device, dcuId: item.dcuId, traceId: trace.id, taskId: item.taskId, now, urgent: priority === 'operator' }),
    );
    return { outcome, traceId: trace.frames.length === 0 ? undefined : trace.id };
  } finally {
    trace.close(tools.traces);
  }
}
