import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { writeCommands } from '#db/command-log.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import type { OperationTools } from './operation-tools.ts';
import type { WrapOperation } from './wrap-operations.ts';

/** Adds an entry about a command to the command log. The entry of `placeOrder` names the user and the reason. */
export async function logCommand(
  tools: OperationTools,
  item: WorkItem,
  { result, request = {}, traceId }: { result: string; request?: Record<string, unknown>; traceId?: string | undefined },
): Promise<void> {
  const entry = {
    userId: null,
    kind: item.kind,
    deviceKind: item.deviceKind,
    deviceId: item.meterId ?? item.dcuId,
    request,
    result,
    taskId: item.taskId,
    taskItemId: item.id,
    traceId: traceId ?? null,
  };
  const { db, clock } = tools.ctx;
  await db.transaction().execute((tx) => writeCommands(tx, [entry], clock.now()));
}

/** Adds the outcome of every order that changes a device to the command log, once its last attempt has ended. */
export const withCommandLog =
  (tools: OperationTools): WrapOperation =>
  (kind, operation) =>
    ORDERS[kind].changesDevice ? async (item) => logOutcome(tools, item, await operation(item)) : operation;

async function logOutcome(tools: OperationTools, item: WorkItem, report: WorkReport): Promise<WorkReport> {
  const { outcome, traceId, againInMs, logged } = report;
  if (againInMs === undefined && logged !== null)
    await logCommand(tools, item, { result: outcome.ok ? 'ok' : outcome.reason, traceId, request: logged ?? {} });
  return report;
}
