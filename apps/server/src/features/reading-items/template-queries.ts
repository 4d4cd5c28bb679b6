import { profileBody } from '@hes/contract/asset/southbound.ts';
import type { Insertable } from 'kysely';
import type { z } from 'zod';
import type { Db, Tx } from '#db/context.ts';
import type { Database } from '#db/tables.ts';

type Body = z.output<typeof profileBody>;
export type Objects = NonNullable<Body['objects']>;

export interface StoredTemplate {
  id: string;
  key: string;
  name: string;
  isBuiltin: boolean;
  order: string[];
  body: Body;
  meterTypes: string[];
}

export async function findTemplates(db: Db): Promise<StoredTemplate[]> {
  const [rows, types] = await Promise.all([
    db
      .selectFrom('southboundProfile')
      .where('deviceKind', '=', 'meter')
      .select(['id', 'key', 'name', 'isBuiltin', 'objectOrder', 'body'])
      .orderBy('id')
      .execute(),
    db.selectFrom('meterType').select(['profileId', 'name']).orderBy('name').execute(),
  ]);
  return rows.map(({ objectOrder, body, ...row }) => ({
    ...row,
    order: objectOrder,
    body: profileBody.parse(body),
    meterTypes: types.filter((type) => type.profileId === row.id).map((type) => type.name),
  }));
}

/** Locks all meter templates until the transaction ends. */
export async function lockTemplates(tx: Tx): Promise<void> {
  await tx.selectFrom('southboundProfile').where('deviceKind', '=', 'meter').select('id').forUpdate().execute();
}

/** Keys of the dictionary, in its order. */
export const findKeys = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('obisCode').select('key').orderBy('sort').orderBy('id').execute()).map((row) => row.key);

/** Objects of the dictionary by their keys. */
export async function findObjects(tx: Tx): Promise<Map<string, { obis: string; classId: number; attribute: number }>> {
  const rows = await tx.selectFrom('obisCode').select(['key', 'obis', 'classId', 'attribute']).execute();
  return new Map(rows.map(({ key, ...object }) => [key, object]));
}

export async function insertTemplate(tx: Tx, template: Insertable<Database['southboundProfile']>): Promise<string> {
  return (await tx.insertInto('southboundProfile').values(template).returning('id').executeTakeFirstOrThrow()).id;
}

export async function updateTemplate(tx: Tx, id: string, change: { name: string; body: string; objectOrder: string[] }): Promise<void> {
  await tx.updateTable('southboundProfile').set(change).where('id', '=', id).execute();
}

export async function deleteTemplate(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('southboundProfile').where('id', '=', id).execute();
}
