import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';

export interface HeldJob {
  id: string;
  name: string;
  /** Identifies the attempt: it increases with each one. */
  retryCount: number;
}

/** Locks the row of a job until the transaction ends, which prevents a takeover; fails when another attempt has taken over. */
export async function holdJob(tx: Tx, { id, name, retryCount }: HeldJob): Promise<void> {
  const { rows } = await sql`
    select from pgboss.job where name = ${name} and id = ${id}::uuid and state = 'active' and retry_count = ${retryCount} for share`.execute(
    tx,
  );
  if (rows.length === 0) throw new Error(`Another attempt has taken over the job ${id}`);
}
