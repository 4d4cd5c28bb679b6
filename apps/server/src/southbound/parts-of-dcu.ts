import type { DcuAdapter, DcuPart } from '@hes/contract/asset/dcu-part.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import type { Db } from '#db/context.ts';
import { findDcuProfileLine } from '#db/profile-places.ts';
import { mergeBodies, partsOfBody, type ResolvedBody } from '#db/seed/southbound-profiles.ts';
import type { DcuParts, DcuLink } from './dcu-parts.ts';
import { dlmsParts } from './dlms/dlms-parts.ts';
import { plainGateway } from './gateway/plain-gateway.ts';

/** The adapters by their name in a profile. A further make is one more entry and one more folder. */
const ADAPTERS: Record<DcuAdapter, (dcu: DcuLink, profile: ResolvedBody) => DcuParts> = {
  dlms: dlmsParts,
  gateway: () => plainGateway,
};

/** The profile of a DCU with everything it inherits. */
const findDcuProfile = async (db: Db, dcuId: string): Promise<ResolvedBody> => mergeBodies(await findDcuProfileLine(db, dcuId));

/** Whether the profile of a DCU has a part. */
export const hasPart = async (db: Db, dcuId: string, part: DcuPart): Promise<boolean> =>
  partsOfBody(await findDcuProfile(db, dcuId)).includes(part);

/** Keys of the objects that the profile of a DCU has. */
export const keysOfDcu = async (db: Db, dcuId: string): Promise<ReadonlySet<string>> =>
  new Set((await findDcuProfile(db, dcuId)).objects.keys());

/** Whether the profile of a DCU has a cache of rows that the DCU has read from its meters. */
export async function hasCache(db: Db, dcuId: string): Promise<boolean> {
  const { adapter, objects } = await findDcuProfile(db, dcuId);
  return adapter === 'dlms' && objects.has('CACHED_METER');
}

/** What a DCU can do for the head-end over an open link, as its profile says. */
export async function partsOfDcu(
  tools: { ctx: { db: Db }; zone: Zone },
  { link, dcuId, now }: Pick<DcuLink, 'link' | 'dcuId' | 'now'>,
): Promise<DcuParts> {
  const profile = await findDcuProfile(tools.ctx.db, dcuId);
  return ADAPTERS[profile.adapter]({ link, dcuId, now, zone: tools.zone }, profile);
}
