import type { ReasonCode } from '@hes/contract/core/outcome.ts';
import { writeAudit } from '#db/audit.ts';
import { writeCommands } from '#db/command-log.ts';
import type { Context } from '#db/context.ts';
import { approvalParts, isSealed, relayParts } from '#platform/order-seal.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import type { RefusedItem, RelayCommand } from './store.ts';

/** Codes of HES events in the log of DCUs. */
const ALARMS: Partial<Record<ReasonCode, number>> = {
  RELAY_CEILING: 60_001,
  RELAY_DAY_CEILING: 60_001,
  RELAY_NOT_ORDERED: 60_002,
  RELAY_NOT_APPROVED: 60_002,
};
/** Minimum time between two alarms with the same key. */
const ALARM_PAUSE_MS = 600_000;

export interface RefusalTools {
  ctx: Pick<Context, 'db' | 'clock' | 'secrets'>;
  events: EventWriter;
  /** Time of the last alarm by its key, in epoch milliseconds. */
  relayAlarms: Map<string, number>;
}

/** The reason for refusing a command: it has no valid seal, or lacks the approval that it requires. */
export function refusalOf(
  { secrets, clock }: Pick<Context, 'secrets' | 'clock'>,
  command: RelayCommand | undefined,
  kind: string,
): ReasonCode | undefined {
  if (command === undefined || `relay_${command.operation}` !== kind) return 'RELAY_NOT_ORDERED';
  const { nonce, validUntil } = command;
  if (nonce === null || validUntil === null) return 'RELAY_NOT_ORDERED';
  if (!isSealed(secrets, 'relay command', relayParts({ ...command, nonce, validUntil }), command.seal)) return 'RELAY_NOT_ORDERED';
  // An expired command that was already sent is still confirmed by reading the relay.
  if (!command.isSent && validUntil.getTime() < clock.now()) return 'RELAY_NOT_ORDERED';
  if (!command.needsApproval) return undefined;
  const { approval } = command;
  if (approval?.state !== 'approved' || approval.approverId === command.requestedBy) return 'RELAY_NOT_APPROVED';
  const parts = approvalParts({ taskId: command.taskId, requestedBy: command.requestedBy, approverId: approval.approverId });
  return isSealed(secrets, 'approval', parts, approval.seal) ? undefined : 'RELAY_NOT_APPROVED';
}

/** Records that a command was not executed, and raises an alarm if the reason indicates manipulation or an exceeded limit. */
export async function refuseCommand(
  tools: RefusalTools,
  item: RefusedItem,
  command: RelayCommand | undefined,
  reason: ReasonCode,
): Promise<void> {
  const { db, clock } = tools.ctx;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    const detail = { kind: item.kind, reason, taskId: item.taskId, taskItemId: item.id };
    const entry = { action: 'relay_blocked', entity: 'meter', entityId: item.meterId, detail } as const;
    await writeAudit(tx, { userId: command?.requestedBy ?? null, ...entry }, now);
    await writeCommands(tx, [entryOf(item, command, reason, null)], now);
  });
  await raiseAlarm(tools, item, reason);
}

async function raiseAlarm({ ctx, events, relayAlarms }: RefusalTools, item: RefusedItem, reason: ReasonCode): Promise<void> {
  const code = ALARMS[reason];
  const key = `${item.dcuId}/${code}`;
  const now = ctx.clock.now();
  if (code === undefined || now - (relayAlarms.get(key) ?? -Infinity) < ALARM_PAUSE_MS) return;
  relayAlarms.set(key, now);
  const event = { log: 'dcu' as const, code, occurAt: now, message: `${item.kind}, task ${item.taskId}`, raw: new Uint8Array(0) };
  await events.store({ deviceKind: 'dcu', meterId: null, dcuId: item.dcuId, source: 'push', traceId: null, events: [event] });
}

export const entryOf = (item: RefusedItem, command: RelayCommand | undefined, result: string, traceId: string | null, request = {}) => ({
  userId: command?.requestedBy ?? null,
  kind: item.kind,
  deviceKind: item.deviceKind,
  deviceId: item.meterId ?? item.dcuId,
  request,
  result,
  taskId: item.taskId,
  taskItemId: item.id,
  traceId,
});
