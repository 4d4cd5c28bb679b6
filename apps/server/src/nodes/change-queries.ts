import type { Pool } from 'pg';
import type { Durable } from '#platform/bus.ts';

/** The transactions that are visible now, as text of the type `pg_snapshot`. */
export async function readSnapshot(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ snapshot: string }>('select pg_current_snapshot()::text as snapshot');
  return rows[0]?.snapshot ?? '';
}

interface Wanted {
  /** Process whose changes are left out. */
  origin: string;
  /** Snapshot of the last read; null: none. */
  since: string | null;
  /** Also the changes of the last seconds; null: none. */
  repeatedS: number | null;
}

/** Transactions above the current ones are from before a restore of the database. */
const FIND_CHANGES = `select pg_current_snapshot()::text as snapshot, coalesce((
    select jsonb_agg(jsonb_build_object('topic', c.topic, 'message', c.message) order by c.id) from change c
    where c.origin <> $1 and c.xid < pg_snapshot_xmax(pg_current_snapshot())
      and ((c.xid >= pg_snapshot_xmin($2::pg_snapshot) and not pg_visible_in_snapshot(c.xid, $2::pg_snapshot))
        or c.at > now() - make_interval(secs => $3::int))), '[]') as changes`;

/** Changes whose transactions have become visible since the last read, each once, in the order of their ids. */
export async function findChanges(pool: Pool, { origin, since, repeatedS }: Wanted): Promise<{ snapshot: string; changes: Durable[] }> {
  const { rows } = await pool.query<{ snapshot: string; changes: Durable[] }>({
    name: 'find_changes',
    text: FIND_CHANGES,
    values: [origin, since, repeatedS],
  });
  const [found] = rows;
  if (found === undefined) throw new Error('The log of changes could not be read');
  return found;
}
