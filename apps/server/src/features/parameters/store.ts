import type { ParameterState } from '@hes/contract/action/dcu-parameter.ts';
import type { DcuOnlineStatus } from '@hes/contract/states/device.ts';
import type { Pool } from 'pg';

export async function storeActual(pool: Pool, dcuId: string, actual: ReadonlyMap<string, string>): Promise<void> {
  await pool.query(
    `insert into dcu_parameter (dcu_id, key, actual, state, read_at)
     select $1, n.key, n.actual, 'in_sync', now() from unnest($2::text[], $3::text[]) as n (key, actual)
     on conflict (dcu_id, key) do update set actual = excluded.actual, read_at = now(), reason_code = null,
       state = case when dcu_parameter.desired is null or dcu_parameter.desired = excluded.actual then 'in_sync' else 'differs' end`,
    [dcuId, [...actual.keys()], [...actual.values()]],
  );
}

export async function storeParameterState(
  pool: Pool,
  dcuId: string,
  change: { key: string; state: ParameterState; reasonCode?: string | undefined },
): Promise<void> {
  await pool.query(
    `insert into dcu_parameter (dcu_id, key, state, reason_code) values ($1, $2, $3, $4)
     on conflict (dcu_id, key) do update set state = $3, reason_code = $4,
       written_at = case when $3 = 'written' then now() else dcu_parameter.written_at end`,
    [dcuId, change.key, change.state, change.reasonCode ?? null],
  );
}

/** Parameters that were written and not confirmed yet. */
export async function findWritten(pool: Pool, dcuId: string): Promise<Set<string>> {
  const found = await pool.query<{ key: string }>("select key from dcu_parameter where dcu_id = $1 and state = 'written'", [dcuId]);
  return new Set(found.rows.map((row) => row.key));
}

/**
 * State of the earlier rings: `well` when all DCUs succeeded and are online after the canary time, `failed` when one did not, or
 * `working`.
 */
export async function judgeRings(
  pool: Pool,
  { taskId, dcuIds, canaryS }: { taskId: string; dcuIds: readonly string[]; canaryS: number },
): Promise<'well' | 'failed' | 'working'> {
  const found = await pool.query<{ state: string; isWatched: boolean; onlineStatus: DcuOnlineStatus }>(
    `select i.state, coalesce(i.finished_at <= now() - make_interval(secs => $3), false) as "isWatched", d.online_status as "onlineStatus"
     from task_item i join dcu d on d.id = i.dcu_id where i.task_id = $1 and i.dcu_id = any($2::bigint[])`,
    [taskId, dcuIds, canaryS],
  );
  if (found.rows.some(({ state }) => state !== 'read_success' && state !== 'waiting' && state !== 'reading')) return 'failed';
  if (!found.rows.every(({ state, isWatched }) => state === 'read_success' && isWatched)) return 'working';
  // Some parameters disconnect a DCU only after a while.
  if (canaryS === 0 || found.rows.every(({ onlineStatus }) => onlineStatus === 'online')) return 'well';
  return found.rows.some(({ onlineStatus }) => onlineStatus === 'offline' || onlineStatus === 'never') ? 'failed' : 'working';
}
