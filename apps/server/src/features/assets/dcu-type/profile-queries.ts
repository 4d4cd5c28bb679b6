import type { SouthboundBody } from '#db/seed/southbound-profiles.ts';
import type { Db, Tx } from '#db/context.ts';

export interface StoredProfile {
  id: string;
  key: string;
  name: string;
  body: SouthboundBody;
  isBuiltin: boolean;
}

export type DeviceKind = 'dcu' | 'meter';

export async function findProfiles(db: Db, kind: DeviceKind): Promise<StoredProfile[]> {
  const rows = await db
    .selectFrom('southboundProfile')
    .where('deviceKind', '=', kind)
    .select(['id', 'key', 'name', 'body', 'isBuiltin'])
    .orderBy('isBuiltin', 'desc')
    .orderBy('name')
    .execute();
  return rows.map((row) => ({ ...row, body: row.body as unknown as SouthboundBody })); // as: only bodies of this form are written
}

export const findProfileByKey = (tx: Tx, key: string) =>
  tx.selectFrom('southboundProfile').where('key', '=', key).select(['id', 'deviceKind']).executeTakeFirst();

export async function hasProfile(tx: Tx, kind: DeviceKind, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('southboundProfile')
    .where('id', '=', id)
    .where('deviceKind', '=', kind)
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

export async function insertProfile(
  tx: Tx,
  kind: DeviceKind,
  profile: { key: string; name: string; body: SouthboundBody; parts: string[]; by: string },
): Promise<string> {
  const { by, body, ...rest } = profile;
  const { id } = await tx
    .insertInto('southboundProfile')
    .values({ ...rest, deviceKind: kind, body: JSON.stringify(body), createdBy: by })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Suppliers for the form of a type. A disabled supplier may stay but cannot be chosen again. */
export const findSupplierChoices = (db: Db) => db.selectFrom('supplier').select(['id', 'name', 'enabled']).orderBy('name').execute();

/** Locks a supplier against deletion until the transaction ends. Returns false if there is none of this id. */
export async function lockSupplier(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('supplier').where('id', '=', id).select('id').forShare().executeTakeFirst()) !== undefined;
}

export const findSupplierKey = (db: Db, id: string) =>
  db.selectFrom('supplier').where('id', '=', id).select(['code', 'name']).executeTakeFirstOrThrow();

/** Returns the id of the supplier with this code; inserts it with the name from the file if the site has none. */
export async function adoptSupplier(tx: Tx, { code, name }: { code: string; name: string }): Promise<string> {
  await tx
    .insertInto('supplier')
    .values({ code: code.toUpperCase(), name })
    .onConflict((conflict) => conflict.column('code').doNothing())
    .execute();
  const { id } = await tx.selectFrom('supplier').where('code', '=', code.toUpperCase()).select('id').executeTakeFirstOrThrow();
  return id;
}
