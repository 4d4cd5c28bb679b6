import { sql } from 'kysely';
import { profilePlaces, type ProfilePlace } from '#db/profile-places.ts';
import type { Db } from '#db/context.ts';

/** Object of a DCU by key, from its southbound profile; undefined: the profile has no such object. */
export async function placeInProfile(db: Db, dcuId: string, key: string): Promise<ProfilePlace | undefined> {
  const profile = sql`select t.profile_id from dcu d join dcu_type t on t.id = d.dcu_type_id where d.id = ${dcuId}`;
  const found = await sql<{ place: ProfilePlace }>`select place from ${profilePlaces(profile)} as places where key = ${key}`.execute(db);
  return found.rows[0]?.place;
}
