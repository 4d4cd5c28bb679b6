import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import { createPublicDevice, readDeviceName } from '#field/device-name.ts';
import { Trace } from '#field/trace.ts';
import { findMetersToIdentify, storeNameplate, publishFound } from './store.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';

/** Reads the logical device name of each discovered meter. A timeout of one does not affect the others. */
export async function identifyMeters(tools: OperationTools, item: WorkItem<'discovery_identify'>): Promise<WorkReport> {
  const session = tools.sessions.get(item.dcuId);
  if (session === undefined) return { outcome: failed('DCU_OFFLINE'), traceId: undefined };
  const { db, clock } = tools.ctx;
  const found = await findMetersToIdentify(db, item.dcuId, item.params.ids);
  const trace = new Trace({ dcuId: item.dcuId, meterId: null, sessionId: session.rowId, taskId: item.taskId }, clock.now());
  const outcomes: Outcome<string>[] = [];
  try {
    for (const { id, runId, sn, address } of found) {
      const stranger = createPublicDevice(`found-${id}`, sn, Buffer.from(address || sn, 'latin1'));
      const named = await session.links.withLink(stranger, { priority: 'operator', trace }, readDeviceName);
      outcomes.push(named);
      if (!named.ok) continue;
      const nameplate = { logicalDeviceName: named.value, readAt: new Date(clock.now()).toISOString() };
      await storeNameplate(db, id, nameplate);
      await publishFound(tools.ctx, item.dcuId, runId, [sn]);
    }
  } finally {
    trace.close(tools.traces);
  }
  return { outcome: summaryOf(outcomes), traceId: trace.frames.length === 0 ? undefined : trace.id };
}

function summaryOf(outcomes: readonly Outcome<string>[]): Outcome<ItemResult> {
  const silent = outcomes.filter((outcome) => !outcome.ok);
  const first = silent[0];
  if (first !== undefined && !first.ok && silent.length === outcomes.length) return failed(first.reason, first.detail);
  return ok({ counts: { identified: outcomes.length - silent.length, silent: silent.length } });
}
