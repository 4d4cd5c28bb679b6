import type { ProfileRow } from '@hes/contract/asset/southbound.ts';
import { partsOfBody, resolveBody, type ResolvedBody, type SouthboundBody } from '#db/seed/southbound-profiles.ts';
import type { ProfileObject } from '@hes/dlms/profile/device-profile.ts';
import { ApiError } from '#platform/api-error.ts';
import { refuseFaults } from './shape-faults.ts';
import type { Db, Tx } from '#db/context.ts';
import {
  findProfileByKey,
  findProfiles,
  hasProfile,
  insertProfile,
  lockSupplier,
  type DeviceKind,
  type StoredProfile,
} from './profile-queries.ts';

export async function listProfiles(db: Db, kind: DeviceKind): Promise<ProfileRow[]> {
  const profiles = await findProfiles(db, kind);
  return profiles.map(({ body, ...row }) => {
    const resolved = resolveBody(row.key, profiles);
    return {
      ...row,
      objects: resolved.objects.size,
      features: body.features ?? [],
      parts: kind === 'dcu' ? partsOfBody(resolved) : [],
    };
  });
}

/** The profile of a type with everything it inherits. */
async function findResolved(db: Db, kind: DeviceKind, id: string): Promise<{ profile: StoredProfile; resolved: ResolvedBody }> {
  const profiles = await findProfiles(db, kind);
  const profile = profiles.find((row) => row.id === id);
  if (profile === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profileId');
  return { profile, resolved: resolveBody(profile.key, profiles) };
}

/** The profile of a type and its objects. */
export async function findProfileObjects(
  db: Db,
  kind: DeviceKind,
  id: string,
): Promise<{ profile: StoredProfile; objects: Map<string, ProfileObject> }> {
  const { profile, resolved } = await findResolved(db, kind, id);
  return { profile, objects: resolved.objects };
}

/** Content of a profile for a file. It includes inherited objects because another site may lack the parent profile. */
export async function profileAsFile(db: Db, kind: DeviceKind, id: string) {
  const { profile, resolved } = await findResolved(db, kind, id);
  const { objects, adapter, shapes, parameters } = resolved;
  const { quirks, features } = profile.body;
  return {
    key: profile.key,
    name: profile.name,
    body: {
      objects: Object.fromEntries(objects),
      quirks,
      ...(features ? { features } : {}),
      ...(kind === 'dcu' ? { adapter, parameters, ...(shapes === undefined ? {} : { shapes }) } : {}),
    },
  };
}

/** Returns the id of the site's profile with this key; inserts the profile from the file if the site has none. */
export async function adoptProfile(
  tx: Tx,
  kind: DeviceKind,
  { by, ...file }: { key: string; name: string; body: SouthboundBody; by: string },
): Promise<string> {
  const known = await findProfileByKey(tx, file.key);
  if (known !== undefined && known.deviceKind !== kind) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profile');
  if (known !== undefined) return known.id;
  if (file.body.shapes !== undefined) refuseFaults(file.body.shapes);
  const others = await findProfiles(tx, kind);
  let resolved: ResolvedBody;
  try {
    resolved = resolveBody(file.key, [...others, file]);
  } catch {
    throw new ApiError('UNKNOWN_REFERENCE', {}, 'profile');
  }
  return insertProfile(tx, kind, { ...file, parts: kind === 'dcu' ? partsOfBody(resolved) : [], by });
}

export async function requireChoices(
  tx: Tx,
  kind: DeviceKind,
  { supplierId, profileId }: { supplierId: string; profileId: string },
): Promise<void> {
  if (!(await lockSupplier(tx, supplierId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'supplierId');
  if (!(await hasProfile(tx, kind, profileId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'profileId');
}
