import type { RelayResult } from '@hes/contract/task/task.ts';
import { ASSUMED_POWER_W, type RelayCommandState, type RelayOperation } from '@hes/contract/states/relay.ts';
import type { Pool, PoolClient } from 'pg';

/** Whoever switches takes turns, so that two of them never share what is left below the ceiling. */
const SWITCH_LOCK = 4_059_021;

export interface RelayCommand {
  id: string;
  taskId: string;
  meterId: string;
  meterSn: string;
  operation: RelayOperation;
  requestedBy: string;
  needsApproval: boolean;
  seal: Buffer;
  state: RelayCommandState;
  isSent: boolean;
  powerBeforeW: number | null;
  approval: { state: string; requestedBy: string; approverId: string; seal: Buffer } | null;
}

export async function findCommand(pool: Pool, taskId: string, meterId: string): Promise<RelayCommand | undefined> {
  const found = await pool.query<
    Omit<RelayCommand, 'approval'> & { approved: string | null; by: string; approverId: string; word: Buffer }
  >(
    `select c.id, c.task_id as "taskId", c.meter_id as "meterId", m.sn as "meterSn", c.operation, c.requested_by as "requestedBy",
       c.needs_approval as "needsApproval", c.seal, c.state, c.power_before_w as "powerBeforeW",
       exists (select from relay_sent s where s.command_id = c.id) as "isSent",
       a.state as approved, a.requested_by as by, a.approver_id as "approverId", a.seal as word
     from relay_command c join meter m on m.id = c.meter_id left join approval a on a.task_id = c.task_id
     where c.task_id = $1 and c.meter_id = $2`,
    [taskId, meterId],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const { approved, by, approverId, word, ...command } = row;
  return { ...command, approval: approved === null ? null : { state: approved, requestedBy: by, approverId, seal: word } };
}

/** The demand to count for a supply: what was measured now, what was stored, what flowed before it was cut off. */
export async function knownPowerW(pool: Pool, meterId: string, measuredW: number | null): Promise<number> {
  const found = await pool.query<{ w: number | null }>(
    `select greatest($2::int, (select p_avg_plus_w from meter_latest where meter_id = $1),
       (select power_w from relay_sent where meter_id = $1 and operation = 'disconnect' order by at desc limit 1)) as w`,
    [meterId, measuredW],
  );
  const known = found.rows[0]?.w ?? null;
  return known === null || known <= 0 ? ASSUMED_POWER_W : known;
}

export type Reservation = 'reserved' | 'stopped' | 'ceiling' | 'sent_before';

/**
 * The last gate before octets go out: counts what was sent in the last hour, whoever ordered it and however it came here,
 * and writes the mark that this command is sent. The mark is on disk before the answer; it is never taken back.
 */
export async function reserveSwitch(pool: Pool, command: RelayCommand, powerW: number): Promise<Reservation> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [SWITCH_LOCK]);
    const verdict = await judge(client, command, powerW);
    await client.query('commit');
    return verdict;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

async function judge(client: PoolClient, command: RelayCommand, powerW: number): Promise<Reservation> {
  const found = await client.query<{ isStopped: boolean; meters: number; w: string; maxMeters: number; maxKw: number }>(
    `select exists (select from relay_stop where released_at is null) as "isStopped", count(*)::int as meters, coalesce(sum(power_w), 0) as w,
       (select max_meters_per_hour from relay_limit where effective_at <= now() order by id desc limit 1) as "maxMeters",
       (select max_kw_per_hour from relay_limit where effective_at <= now() order by id desc limit 1) as "maxKw"
     from relay_sent where at > now() - interval '1 hour'`,
  );
  const now = found.rows[0];
  if (now === undefined || now.isStopped) return 'stopped';
  if (now.meters + 1 > now.maxMeters || Number(now.w) + powerW > now.maxKw * 1000) return 'ceiling';
  const { id, meterId, operation } = command;
  const sent = await client.query(
    'insert into relay_sent (command_id, meter_id, operation, power_w) values ($1, $2, $3, $4) on conflict do nothing',
    [id, meterId, operation, powerW],
  );
  if (sent.rowCount === 0) return 'sent_before';
  await client.query("update relay_command set state = 'sent', power_before_w = $2 where id = $1", [id, powerW]);
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

/** What a relay showed; with a person, that it was switched for them. */
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

/** Commands of a meter whose outcome nobody knows: reading the relay says it. */
export async function settleUnknown(pool: Pool, meterId: string, state: RelayResult['state']): Promise<void> {
  await pool.query(
    `update relay_command set ended_at = now(),
       state = case when $2 = case operation when 'disconnect' then 'disconnected' when 'connect' then 'connected' else 'ready' end then 'done' else 'failed' end,
       reason_code = case when $2 = case operation when 'disconnect' then 'disconnected' when 'connect' then 'connected' else 'ready' end
         then null else 'RELAY_NOT_SWITCHED' end
     where meter_id = $1 and (state = 'unknown' or state = 'sent' and not exists (
       select from task_item i where i.task_id = relay_command.task_id and i.meter_id = relay_command.meter_id and i.state in ('waiting', 'reading')))`,
    [meterId, state],
  );
}
