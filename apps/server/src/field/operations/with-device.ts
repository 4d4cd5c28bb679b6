import type { Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import type { MeterDevice } from '../devices.ts';
import type { OperationTools } from './operation-tools.ts';
import { DCU_IS_OFFLINE, overLink, type Reached } from './over-link.ts';
import { withMeter } from './with-meter.ts';

/** A meter or the DCU itself, with an open link. */
export interface DeviceWork extends Omit<Reached, 'urgent'> {
  /** The device, when it is a meter: only meters have cached metadata. */
  meter: MeterDevice | undefined;
}

/** Runs `work` with an open link to the device of the item and stores the trace. */
export async function withDevice(
  tools: OperationTools,
  item: WorkItem,
  work: (device: DeviceWork) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  if (item.deviceKind !== 'dcu') return withMeter(tools, item, (reached) => work({ ...reached, meter: reached.device }));
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return DCU_IS_OFFLINE;
  const device = tools.devices.buildDcu(session.endpoint);
  return overLink(tools, item, { session, device }, (reached) => work({ ...reached, meter: undefined }));
}
