import type { Pool } from 'pg';
import { readServerVersion } from './database-queries.ts';

/** Codes of a connection that another machine or the network refused. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', '57P01', '57P03']);

const isUnreachable = (error: unknown): boolean => error instanceof Error && 'code' in error && UNREACHABLE.has(String(error.code));

/**
 * Whether a statement is answered. An external database (`isOwn` false) that refuses connections counts as answering: a restart of the head-end
 * would not mend it, and would cut off all devices.
 */
export async function isDatabaseAnswering(pool: Pool, isOwn: boolean): Promise<boolean> {
  try {
    await readServerVersion(pool);
    return true;
  } catch (error) {
    return !isOwn && isUnreachable(error);
  }
}
