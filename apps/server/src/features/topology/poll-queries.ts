import type { Pool } from 'pg';

/** A PLC or RF network is incomplete during the first minutes after its DCU has connected. */
const SETTLED_AFTER_MIN = 2;
/** Limits the load when a whole fleet reconnects. */
const MAX_DCUS = 20;

/** Connected DCUs whose network was not read within its polling interval, and that have no open or recent topology task. */
export async function findDueDcus(pool: Pool, now: number): Promise<string[]> {
  const due = await pool.query<{ id: string }>(
    `select dcu.id from dcu left join topology_setting s on s.dcu_id = dcu.id
      where dcu.online_status = 'online' and coalesce(s.capture, true)
        and exists (select from dcu_type t join southbound_profile p on p.id = t.profile_id where t.id = dcu.dcu_type_id and 'topology' = any(p.parts))
        and exists (select from dcu_session d where d.dcu_id = dcu.id and d.closed_at is null and d.opened_at < $1::timestamptz - make_interval(mins => $2))
        and not exists (select from topology_snapshot t where t.dcu_id = dcu.id and t.taken_at > $1::timestamptz - make_interval(mins => coalesce(s.poll_min, 60)))
        and not exists (select from task_item i where i.dcu_id = dcu.id and i.kind = 'topology'
          and (i.phase = 'open' or i.finished_at > $1::timestamptz - interval '10 minutes'))
      order by dcu.id limit $3`,
    [new Date(now), SETTLED_AFTER_MIN, MAX_DCUS],
  );
  return due.rows.map((row) => row.id);
}
