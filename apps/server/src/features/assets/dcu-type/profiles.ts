import type { ProfileRow } from '@hes/contract/asset/southbound.ts';
import { resolveObjects, type SouthboundBody } from '#db/seed/southbound-profiles.ts';
import type { ProfileObject } from '@hes/dlms/profile/device-profile.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Db, Tx } from '#db/context.ts';

export interface StoredProfile {
  id: string;
  key: string;
  name: string;
  body: SouthboundBody;
  isBuiltin: boolean;
}

type DeviceKind = 'dcu' | 'meter';

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

/** Everything a profile names, with what it inherits. */
export function objectsOf(profiles: readonly StoredProfile[], key: string): Map<string, ProfileObject> {
  return resolveObjects(key, [...profiles]);
}

export async function listProfiles(db: Db, kind: DeviceKind): Promise<ProfileRow[]> {
  const profiles = await findProfiles(db, kind);
  return profiles.map(({ body, ...row }) => ({ ...row, objects: objectsOf(profiles, row.key).size, features: body.features ?? [] }));
}

/** The objects of the profile a type has. */
export async function findProfileObjects(
  db: Db,
  kind: DeviceKind,
  id: string,
): Promise<{ profile: StoredProfile; objects: Map<string, ProfileObject> }> {
  const profiles = await findProfiles(db, kind);
  const profile = profiles.find((row) => row.id === id);
  if (profile === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profileId');
  return { profile, objects: objectsOf(profiles, profile.key) };
}

/** A profile as a file carries it: with all it inherits, so that it means the same at another site. */
export async function profileAsFile(db: Db, kind: DeviceKind, id: string) {
  const { profile, objects } = await findProfileObjects(db, kind, id);
  const { quirks, features } = profile.body;
  return {
    key: profile.key,
    name: profile.name,
    body: { objects: Object.fromEntries(objects), quirks, ...(features ? { features } : {}) },
  };
}

export async function insertProfile(
  tx: Tx,
  kind: DeviceKind,
  profile: { key: string; name: string; body: SouthboundBody; by: string },
): Promise<string> {
  const { by, body, ...rest } = profile;
  const { id } = await tx
    .insertInto('southboundProfile')
    .values({ ...rest, deviceKind: kind, body: JSON.stringify(body), createdBy: by })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The site's own profile of that key, or the one from the file. */
export async function adoptProfile(
  tx: Tx,
  kind: DeviceKind,
  { by, ...file }: { key: string; name: string; body: SouthboundBody; by: string },
): Promise<string> {
  const known = await tx.selectFrom('southboundProfile').where('key', '=', file.key).select(['id', 'deviceKind']).executeTakeFirst();
  if (known !== undefined && known.deviceKind !== kind) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profile');
  if (known !== undefined) return known.id;
  const others = await findProfiles(tx, kind);
  try {
    objectsOf([...others, { ...file, id: '0', isBuiltin: false }], file.key);
  } catch {
    throw new ApiError('UNKNOWN_REFERENCE', {}, 'profile');
  }
  return insertProfile(tx, kind, { ...file, by });
}

export async function requireChoices(
  tx: Tx,
  kind: DeviceKind,
  { supplierId, profileId }: { supplierId: string; profileId: string },
): Promise<void> {
  const supplier = await tx.selectFrom('supplier').where('id', '=', supplierId).select('id').forShare().executeTakeFirst();
  if (supplier === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'supplierId');
  const profile = await tx
    .selectFrom('southboundProfile')
    .where('id', '=', profileId)
    .where('deviceKind', '=', kind)
    .select('id')
    .executeTakeFirst();
  if (profile === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profileId');
}

/** Suppliers a type can be given: disabled ones only stay where they are. */
export const findSupplierChoices = (db: Db) => db.selectFrom('supplier').select(['id', 'name', 'enabled']).orderBy('name').execute();

/** The site's own supplier of that code, or a new one by the name of the file. */
export async function adoptSupplier(tx: Tx, { code, name }: { code: string; name: string }): Promise<string> {
  await tx
    .insertInto('supplier')
    .values({ code: code.toUpperCase(), name })
    .onConflict((conflict) => conflict.column('code').doNothing())
    .execute();
  const { id } = await tx.selectFrom('supplier').where('code', '=', code.toUpperCase()).select('id').executeTakeFirstOrThrow();
  return id;
}
