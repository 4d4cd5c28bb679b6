import type { Pool } from 'pg';

/** All items of a task as `owner` would hold them, with a lease that ends in so many seconds, or did. */
export async function leaseItems(pool: Pool, taskId: string, owner: string, seconds: number): Promise<void> {
  await pool.query(
    `with held as (
      update task_item set state = 'reading', finished_at = null, lease_owner = $2, lease_until = now() + make_interval(secs => $3)
      where task_id = $1 returning id
    ) insert into task_claim (items) select array_agg(id) from held`,
    [taskId, owner, seconds],
  );
}
