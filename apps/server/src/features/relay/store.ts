import { failed, ok } from '@hes/contract/core/outcome.ts';
import type { RelayResult } from '@hes/contract/orders/results.ts';
import {
  ASSUMED_POWER_W,
  CANARY_FROM,
  HALT_ONE_IN,
  MAX_RECONNECTIONS_PER_DAY,
  MAX_RECONNECTIONS_PER_HOUR,
  isSoloHour,
  type RelayCommandState,
  type RelayOperation,
} from '@hes/contract/action/relay-rules.ts';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { lockInTransaction } from '#db/advisory-locks.ts';
import type { Context, Db, Tx } from '#db/context.ts';
import type { Epoch } from '#nodes/epoch.ts';
import type { Switches } from '#platform/switch-ledger.ts';
import type { WorkItem } from '#tasks/operation.ts';
import type { EndedItem } from '#tasks/queries.ts';
import { settleItems } from '#tasks/store.ts';
import { findLimits } from './limit-queries.ts';

export interface RelayCommand {
  id: string;
  taskId: string;
  meterId: string;
  operation: RelayOperation;
  requestedBy: string;
  needsApproval: boolean;
  /** Null for a command of an older version, which is never executed. */
  nonce: string | null;
  validUntil: Date | null;
  seal: Buffer;
  state: RelayCommandState;
  isSent: boolean;
  /** A later command was sent to the relay, so that reading it says nothing about this one. */
  isSuperseded: boolean;
  powerBeforeW: number | null;
  approval: { state: string; requestedBy: string; approverId: string; seal: Buffer } | null;
}

interface CommandColumns extends Omit<RelayCommand, 'approval'> {
  approved: string | null;
  by: string;
  approverId: string;
  word: Buffer;
}

/** Whether a command was sent to the relay after this one. */
const supersededBy = (commandId: string) =>
  `exists (select from relay_sent own join relay_sent later on later.meter_id = own.meter_id and later.sent_order > own.sent_order where own.command_id = ${commandId})`;

const COMMAND_COLUMNS = `c.id, c.task_id as "taskId", c.meter_id as "meterId", c.operation, c.requested_by as "requestedBy",
  c.needs_approval as "needsApproval", c.nonce, c.valid_until as "validUntil", c.seal, c.state, c.power_before_w as "powerBeforeW",
  exists (select from relay_sent s where s.command_id = c.id) as "isSent", ${supersededBy('c.id')} as "isSuperseded",
  a.state as approved, a.requested_by as by, a.approver_id as "approverId", a.seal as word`;

const commandOf = ({ approved, by, approverId, word, ...command }: CommandColumns): RelayCommand => ({
  ...command,
  approval: approved === null ? null : { state: approved, requestedBy: by, approverId, seal: word },
});

export async function findCommand(pool: Pool, taskId: string, meterId: string): Promise<RelayCommand | undefined> {
  const found = await pool.query<CommandColumns>(
    `select ${COMMAND_COLUMNS} from relay_command c left join approval a on a.task_id = c.task_id where c.task_id = $1 and c.meter_id = $2`,
    [taskId, meterId],
  );
  return found.rows[0] && commandOf(found.rows[0]);
}

/** The fields of a refused item that its log entries contain. */
export type RefusedItem = Pick<WorkItem, 'id' | 'taskId' | 'kind' | 'deviceKind' | 'dcuId' | 'meterId'>;

/** A waiting switching item with the command that it refers to. */
export interface WaitingSwitch {
  item: RefusedItem;
  /** Whether it may start now. */
  isDue: boolean;
  command: RelayCommand | undefined;
}

export async function findWaitingSwitches(pool: Pool): Promise<WaitingSwitch[]> {
  const found = await pool.query<(CommandColumns | { [K in keyof CommandColumns]: null }) & { item: RefusedItem; isDue: boolean }>(
    `select ${COMMAND_COLUMNS}, i.not_before <= now() as "isDue", json_build_object('id', i.id::text, 'taskId', i.task_id::text, 'kind', i.kind,
       'deviceKind', i.device_kind, 'dcuId', i.dcu_id::text, 'meterId', i.meter_id::text) as item
     from task_item i left join relay_command c on c.task_id = i.task_id and c.meter_id = i.meter_id left join approval a on a.task_id = c.task_id
     where i.phase = 'open' and i.state = 'waiting' and i.kind in ('relay_disconnect', 'relay_connect', 'relay_arm')`,
  );
  return found.rows.map(({ item, isDue, ...command }) => ({ item, isDue, command: command.id === null ? undefined : commandOf(command) }));
}

/** Demand of a supply in watts: the largest of the measured, the stored and the last power before disconnection. */
export async function knownPowerW(pool: Pool, meterId: string, measuredW: number | null): Promise<number> {
  const found = await pool.query<{ w: number | null }>(
    `select greatest($2::int, (select p_avg_plus_w from latest_of($1)),
       (select power_w from relay_sent where meter_id = $1 and operation = 'disconnect' order by at desc limit 1)) as w`,
    [meterId, measuredW],
  );
  const known = found.rows[0]?.w ?? null;
  return known === null || known <= 0 ? ASSUMED_POWER_W : known;
}

export type Reservation = 'reserved' | 'stopped' | 'ceiling' | 'day_ceiling' | 'hours' | 'halted' | 'sent_before' | 'moved';

export interface SwitchCircumstances {
  powerW: number;
  /** Hour of the day in the utility's zone. */
  hour: number;
  switches: Switches;
  /** The connection by which the command would be sent. */
  holder: { dcuId: string; epoch: Epoch | null };
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Checks the limits before transmission and marks the command as sent, in the database and in the ledger. Both marks are durable before the
 * function returns; the one in the database is never removed. Reconnections have separate limits.
 */
export const reserveSwitch = (
  ctx: Pick<Context, 'db' | 'secrets' | 'clock'>,
  command: RelayCommand,
  { powerW, hour, switches, holder }: SwitchCircumstances,
): Promise<Reservation> =>
  ctx.db.transaction().execute(async (tx) => {
    await lockInTransaction(tx, 'relaySwitch');
    const { nonce, validUntil } = command;
    if (nonce === null || validUntil === null || switches.has(nonce)) return 'sent_before';
    if (!(await holdsConnection(tx, holder))) return 'moved';
    const { inForce } = await findLimits(tx, ctx.secrets);
    const isCut = command.operation === 'disconnect';
    const found = await sql<{ isStopped: boolean; meters: number; ofDay: number; w: string }>`
      select exists (select from relay_stop where released_at is null) as is_stopped,
        count(*) filter (where at > now() - interval '1 hour')::int as meters, count(*)::int as of_day,
        coalesce(sum(power_w) filter (where at > now() - interval '1 hour'), 0) as w
      from relay_sent where (operation = 'disconnect') = ${isCut} and at > now() - interval '1 day'`.execute(tx);
    const now = found.rows[0];
    if (now === undefined || now.isStopped) return 'stopped';
    const { perHour, perDay, maxW } = isCut
      ? { perHour: inForce.maxMetersPerHour, perDay: inForce.maxMetersPerDay, maxW: inForce.maxKwPerHour * 1000 }
      : { perHour: MAX_RECONNECTIONS_PER_HOUR, perDay: MAX_RECONNECTIONS_PER_DAY, maxW: Infinity };
    const at = ctx.clock.now();
    const isCounted = (operation: string) => (operation === 'disconnect') === isCut;
    const [ofHour, ofDay] = [switches.since(at - HOUR_MS, isCounted), switches.since(at - DAY_MS, isCounted)];
    const switchedW = Math.max(Number(now.w), ofHour.powerW);
    if (Math.max(now.meters, ofHour.meters) + 1 > perHour || switchedW + powerW > maxW) return 'ceiling';
    if (Math.max(now.ofDay, ofDay.meters) + 1 > perDay) return 'day_ceiling';
    // The hour of transmission counts, not that of the order.
    if (command.operation === 'disconnect' && !command.needsApproval && !isSoloHour(inForce, hour)) return 'hours';
    if (await isHalted(tx, command.taskId)) return 'halted';
    const mark = await markSent(tx, command, powerW);
    if (mark === 'reserved') switches.append({ nonce, at, operation: command.operation, powerW, validUntil: validUntil.getTime() });
    return mark;
  });

/** Whether this node still holds the connection; until the transaction ends, no other one adopts it. */
async function holdsConnection(tx: Tx, { dcuId, epoch }: SwitchCircumstances['holder']): Promise<boolean> {
  const held = await sql`select from endpoint where id = ${dcuId} and last_session_id = ${epoch} for share`.execute(tx);
  return held.rows.length === 1;
}

/** Whether too many switched supplies of a large batch are unconfirmed. */
async function isHalted(tx: Tx, taskId: string): Promise<boolean> {
  const found = await sql<{ total: number; ended: number; bad: number }>`
    select count(*)::int as total, count(*) filter (where s.command_id is not null and c.state <> 'sent')::int as ended,
      count(*) filter (where s.command_id is not null and c.state in ('failed', 'unknown', 'refused'))::int as bad
    from relay_command c left join relay_sent s on s.command_id = c.id where c.task_id = ${taskId}`.execute(tx);
  const { total, ended, bad } = found.rows[0] ?? { total: 0, ended: 0, bad: 0 };
  return total >= CANARY_FROM && bad * HALT_ONE_IN > ended;
}

async function markSent(tx: Tx, { id, meterId, operation }: RelayCommand, powerW: number): Promise<Reservation> {
  const sent = await tx
    .insertInto('relaySent')
    .values({ commandId: id, meterId, operation, powerW })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (Number(sent.numInsertedOrUpdatedRows ?? 0) === 0) return 'sent_before';
  await tx.updateTable('relayCommand').set({ state: 'sent', powerBeforeW: powerW }).where('id', '=', id).execute();
  return 'reserved';
}

export interface CommandEnd {
  state: RelayCommandState;
  reasonCode: string | null;
  traceId: string | null;
  result: Pick<RelayResult, 'powerBeforeW' | 'powerAfterW'> | null;
}

export async function endCommand(pool: Pool, id: string, end: CommandEnd): Promise<void> {
  await pool.query(
    `update relay_command set state = $2, reason_code = $3, trace_id = coalesce($4, trace_id), power_before_w = coalesce($5, power_before_w),
       power_after_w = coalesce($6, power_after_w), ended_at = now() where id = $1`,
    [id, end.state, end.reasonCode, end.traceId, end.result?.powerBeforeW ?? null, end.result?.powerAfterW ?? null],
  );
}

/** Stores the reading of a relay; with a user also that it was switched for them. */
export async function storeRelay(
  pool: Pool,
  meterId: string,
  relay: Pick<RelayResult, 'state' | 'output' | 'mode'>,
  by?: string,
): Promise<void> {
  await pool.query(
    `update meter set relay_state = $2, relay_output = $3, relay_mode = $4, relay_read_at = now(),
       relay_switched_at = case when $5::bigint is null then relay_switched_at else now() end,
       relay_switched_by = coalesce($5::bigint, relay_switched_by) where id = $1`,
    [meterId, relay.state, relay.output, relay.mode, by ?? null],
  );
}

/**
 * Ends commands of a meter with an unknown result, based on a later reading of its relay, and ends their items. A command that was followed
 * by another one stays unknown. Returns the ids of these items by task.
 */
export const settleUnknown = (db: Db, meterId: string, relay: RelayResult): Promise<EndedItem[]> =>
  db.transaction().execute(async (tx) => {
    const wanted = sql`case operation when 'disconnect' then 'disconnected' when 'connect' then 'connected' else 'ready' end`;
    const settled = await sql<{ taskId: string; state: 'done' | 'failed' }>`
      update relay_command set ended_at = now(), state = case when ${relay.state} = ${wanted} then 'done' else 'failed' end,
        reason_code = case when ${relay.state} = ${wanted} then null else 'RELAY_NOT_SWITCHED' end
      where meter_id = ${meterId} and not ${sql.raw(supersededBy('relay_command.id'))} and (state = 'unknown' or state = 'sent' and not exists (
        select from task_item i where i.task_id = relay_command.task_id and i.meter_id = relay_command.meter_id and i.phase = 'open'))
      returning task_id, state`.execute(tx);
    const ended: EndedItem[] = [];
    for (const { taskId, state } of settled.rows)
      ended.push(
        ...(await settleItems(
          tx,
          { taskId, meterId },
          state === 'done' ? ok({ relay: { ...relay, wasSent: true } }) : failed('RELAY_NOT_SWITCHED'),
        )),
      );
    return ended;
  });

/** Ids of the rows of limits whose refusal is already audited. */
export async function findAudited(db: Db, ids: readonly string[]): Promise<string[]> {
  const found = await db
    .selectFrom('auditLog')
    .where('action', '=', 'relay_blocked')
    .where('entity', '=', 'relay')
    .where('entityId', 'in', [...ids])
    .select('entityId')
    .execute();
  return found.flatMap(({ entityId }) => (entityId === null ? [] : [entityId]));
}
