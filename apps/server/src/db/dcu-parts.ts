import type { DcuPart } from '@hes/contract/asset/dcu-part.ts';
import { sql, type RawBuilder } from 'kysely';
import type { Db, Tx } from './context.ts';

/** Condition: the profile of the DCU with this id, a column or a value, has a part. */
export const dcuHas = (part: DcuPart, dcuId: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`exists (select from dcu has_part join dcu_type on dcu_type.id = has_part.dcu_type_id
    join southbound_profile on southbound_profile.id = dcu_type.profile_id
    where has_part.id = ${dcuId} and ${part} = any(southbound_profile.parts))`;

/** DCUs among these whose profile lacks a part, in the order of their ids. */
export const findDcusWithout = (db: Db | Tx, dcuIds: readonly string[], part: DcuPart): Promise<{ id: string; sn: string }[]> =>
  db
    .selectFrom('dcu')
    .where(sql<boolean>`dcu.id = any(${[...dcuIds]}::bigint[])`)
    .where(sql<boolean>`not ${dcuHas(part, sql.ref('dcu.id'))}`)
    .select(['dcu.id', 'dcu.sn'])
    .orderBy('dcu.id')
    .execute();
