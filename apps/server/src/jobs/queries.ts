import { sql } from 'kysely';
import type { Tx } from '#db/context.ts';

export interface HeldJob {
  id: string;
  name: string;
  /** Grows with every attempt, so that it names one. */
  retryCount: number;
}

/** Locks the row of a job against other attempts until the transaction ends; fails when this attempt has it no longer. */
export async function holdJob(tx: Tx, { id, name, retryCount }: HeldJob): Promise<void> {
  const { rows } = await sql`
    select from pgboss.job where name = ${name} and id = ${id}::uuid and state = 'active' and retry_count = ${retryCount} for share`.execute(
    tx,
  );
  if (rows.length === 0) throw new Error(`Another attempt has taken over the job ${id}`);
}
