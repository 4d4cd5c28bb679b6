import type { Pool } from 'pg';

/** Claims all items of a task for `owner` with a lease that ends in this number of seconds; negative for an expired one. */
export async function leaseItems(pool: Pool, taskId: string, owner: string, seconds: number): Promise<void> {
  await pool.query(
    `with held as (
      update task_item set state = 'reading', finished_at = null, lease_owner = $2, lease_until = now() + make_interval(secs => $3)
      where task_id = $1 returning id
    ) insert into task_claim (items) select array_agg(id) from held`,
    [taskId, owner, seconds],
  );
}
