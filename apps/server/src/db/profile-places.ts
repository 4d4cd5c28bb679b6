import { sql, type RawBuilder } from 'kysely';

/** Where something stands in a device, as its profile says. */
export interface ProfilePlace {
  classId: number;
  obis: string;
  attribute: number;
  /** Names of what it holds: columns of a profile, values of a push. */
  captures?: string[];
}

/** How many profiles may stand behind one another: what extends itself ends there. */
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
 * A table of what stands where by these profiles: `profile_id`, `key`, `place`. A profile's own places come before those it extends; what
 * it takes away is not in the table.
 */
export const profilePlaces = (profileIds: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(${sql.raw(ABOVE)}${profileIds}${sql.raw(BELOW)})`;

/** The same of all meter types, for statements that are texts. */
export const METER_TYPE_PLACES = `(${ABOVE}select profile_id from meter_type${BELOW})`;
