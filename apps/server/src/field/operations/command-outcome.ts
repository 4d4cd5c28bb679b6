import { writeCommands } from '#db/command-log.ts';
import type { WorkItem, WorkReport } from '#tasks/operation.ts';
import type { OperationTools } from './operation-tools.ts';

/** What happened with a command, in the log that cannot be rewritten. Who ordered it and why stands there since it was ordered. */
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

/** How a command ended. */
export const logOutcome = (tools: OperationTools, item: WorkItem, { outcome, traceId }: WorkReport, request?: Record<string, unknown>) =>
  logCommand(tools, item, { result: outcome.ok ? 'ok' : outcome.reason, traceId, ...(request ? { request } : {}) });

/** Work that changes a device, with how it ended on record. */
export async function onRecord(tools: OperationTools, item: WorkItem, work: Promise<WorkReport>): Promise<WorkReport> {
  const report = await work;
  await logOutcome(tools, item, report);
  return report;
}
