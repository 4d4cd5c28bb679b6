import { failed, type Outcome } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { allOf } from '#platform/all-of.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { LAST_OPERATOR_PRIORITY } from '#tasks/retry.ts';
import { isDirect, type MeterDevice } from '../devices.ts';
import type { OperationTools } from './operation-tools.ts';
import { DCU_IS_OFFLINE, METER_IS_OFFLINE, overLink, type Reached } from './over-link.ts';

/** A meter with an open link, and the way to store its readings. */
export interface MeterWork extends Reached<MeterDevice> {
  /** Adds a pending write; the item ends after its commit. */
  storing(stored: Promise<unknown>): void;
}

/** Returns a function that raises an event about changes of the meter. */
export const changesOf =
  ({ fieldEvents }: Pick<OperationTools, 'fieldEvents'>, { device, dcuId, traceId, storing }: MeterWork) =>
  (lines: string[]): void =>
    storing(fieldEvents.raise({ device, dcuId, traceId, code: FIELD_EVENT.meterChanged, lines }));

/** Runs `work` with an open link to the meter of the item and stores the trace. */
export async function withMeter(
  tools: OperationTools,
  item: WorkItem,
  work: (meter: MeterWork) => Promise<Outcome<ItemResult>>,
): Promise<WorkReport> {
  const device = item.meterId === null ? undefined : await tools.devices.loadMeter(item.meterId);
  if (device === undefined) return { outcome: failed('INTERNAL', 'The meter does not exist'), traceId: undefined };
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return isDirect(device) ? METER_IS_OFFLINE : DCU_IS_OFFLINE;
  const isCollection = item.priority > LAST_OPERATOR_PRIORITY;
  if (isCollection && tools.setAside.isPaused(device)) {
    const until = new Date(device.setAside.until).toISOString();
    return { outcome: failed('SET_ASIDE', `Until ${until}`), traceId: undefined };
  }
  const stored: Promise<unknown>[] = [];
  const storing = (promise: Promise<unknown>) => {
    stored.push(promise);
    // The item awaits it later; until then a rejection must not count as unhandled.
    promise.catch(() => undefined);
  };
  let readAt = 0;
  const report = await overLink(tools, item, { session, device }, (reached) => {
    readAt = reached.now;
    return work({ ...reached, storing });
  });
  if (report.outcome.ok) tools.deviceState.recordMeterRead(device.id, readAt);
  storing(updateSetAside(tools, device, item, report));
  return { ...report, stored: allOf([...stored, report.stored]) };
}

/** Starts a pause of collection after a response without end; ends the pause after a successful read. */
async function updateSetAside({ setAside }: OperationTools, device: MeterDevice, { dcuId }: WorkItem, report: WorkReport): Promise<void> {
  const { outcome, traceId } = report;
  if (!outcome.ok && outcome.reason === 'ANSWER_TOO_LONG') return setAside.startPause(device, outcome.detail ?? '', { dcuId, traceId });
  if (outcome.ok && device.setAside.times > 0 && !setAside.isPaused(device)) return setAside.endPause(device, { dcuId, traceId });
}
