import { sql } from 'kysely';
import type { Db, User } from './context.ts';
import { visible } from './scope.ts';

const upper = (words: readonly (string | null)[]): string[] => [
  ...new Set(words.filter((word) => word !== null).map((word) => word.toUpperCase())),
];

/** Ids by upper-case code. */
export async function typesByCode(db: Db, kind: 'dcuType' | 'meterType', codes: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom(kind)
    .where(sql<boolean>`upper(code) = any(${upper(codes)}::text[])`)
    .select(['id', 'code'])
    .execute();
  return new Map(rows.map((row) => [row.code.toUpperCase(), row.id]));
}

/** Ids of the visible transformers, by upper-case code. */
export async function transformersByCode(db: Db, user: User, codes: readonly (string | null)[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('transformer')
    .where(visible('transformer.id', user))
    .where(sql<boolean>`upper(code) = any(${upper(codes)}::text[])`)
    .select(['id', 'code'])
    .execute();
  return new Map(rows.map((row) => [row.code.toUpperCase(), row.id]));
}

interface KnownDevice {
  id: string;
  isVisible: boolean;
  /** The DCU of a meter; null: it is unbound, or direct. */
  dcuId: string | null;
}

/** Devices by serial number, including those outside the user's area, because serial numbers are unique in the whole fleet. */
export async function devicesBySn(db: Db, user: User, kind: 'dcu' | 'meter', sns: readonly string[]): Promise<Map<string, KnownDevice>> {
  const isMeter = kind === 'meter';
  const { rows } = await sql<KnownDevice & { sn: string }>`
    select id, sn, ${isMeter ? sql`case when communication_mode <> 'direct' then dcu_id end` : sql`null`} as "dcuId", ${visible(isMeter ? 'meter.transformerId' : 'dcu.transformerId', user)} as "isVisible"
    from ${sql.table(kind)} where sn = any(${upper(sns)}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.sn, row]));
}
