import { sql } from 'kysely';
import type { Db } from './context.ts';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { ChainHead } from './chain-anchors.ts';

const TABLES = { audit: sql.table('audit_log'), commands: sql.table('command_log') } as const;

/** The newest row of a chain, and the current hash of the anchored row; undefined when that row no longer exists. */
export async function findHead(db: Db, chain: Chain, anchoredId: string): Promise<ChainHead & { anchoredHash: string | undefined }> {
  const table = TABLES[chain];
  const { rows } = await sql<{ id: string; hash: Buffer; anchored: Buffer | null }>`
    select id, hash, (select hash from ${table} where id = ${anchoredId}) as anchored from ${table} order by id desc limit 1`.execute(db);
  const [newest] = rows;
  return {
    id: newest?.id ?? '0',
    hash: newest?.hash.toString('hex') ?? '',
    anchoredHash: newest?.anchored?.toString('hex'),
  };
}
