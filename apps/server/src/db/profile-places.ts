import { sql, type RawBuilder } from 'kysely';
import type { Db } from './context.ts';
import type { SouthboundBody } from './seed/southbound-profiles.ts';

/** Location of an object in a device, as defined by its profile. */
export interface ProfilePlace {
  classId: number;
  obis: string;
  attribute: number;
  /** Names of the captured values: columns of a profile buffer, or values of a push. */
  captures?: string[];
}

/** Maximum length of a chain of profiles; ends profiles that extend each other. */
const DEPTH_LIMIT = 8;

const ABOVE = `
  with recursive line as (
    select id as profile_id, body, 0 as depth from southbound_profile where id in (`;
const BELOW = `)
    union all
    select line.profile_id, p.body, line.depth + 1 from line
    join southbound_profile p on p.key = line.body ->> 'extends' where line.depth < ${DEPTH_LIMIT}
  ), nearest as (
    select distinct on (profile_id, o.key) profile_id, o.key, o.value as place
    from line, jsonb_each(line.body -> 'objects') o order by profile_id, o.key, depth
  )
  select profile_id, key, place from nearest where jsonb_typeof(place) = 'object'`;

/**
 * SQL table of the object locations of these profiles: `profile_id`, `key`, `place`. A profile overrides the profiles it extends, and null
 * removes a location.
 */
export const profilePlaces = (profileIds: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(${sql.raw(ABOVE)}${profileIds}${sql.raw(BELOW)})`;

/** Bodies of the profile of a DCU and of the profiles it extends, the profile itself first. Empty: no such DCU. */
export async function findDcuProfileLine(db: Db, dcuId: string): Promise<Partial<SouthboundBody>[]> {
  const found = await sql<{ body: Partial<SouthboundBody> }>`
    with recursive line as (
      select p.body, 0 as depth from dcu d join dcu_type t on t.id = d.dcu_type_id join southbound_profile p on p.id = t.profile_id
      where d.id = ${dcuId}
      union all
      select p.body, line.depth + 1 from line join southbound_profile p on p.key = line.body ->> 'extends' where line.depth < ${DEPTH_LIMIT}
    ) select body from line order by depth`.execute(db);
  return found.rows.map(({ body }) => body);
}

/** The same for the profiles of all meter types, as text for the driver. */
export const METER_TYPE_PLACES = `(${ABOVE}select profile_id from meter_type${BELOW})`;
