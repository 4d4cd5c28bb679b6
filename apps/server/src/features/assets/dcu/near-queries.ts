import type { dcu } from '@hes/contract/asset/dcu.ts';
import type { QueryOf, ResponseOf } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { containing } from '#db/paging.ts';
import { visible } from '#db/scope.ts';

type NearDcu = ResponseOf<typeof dcu.near>['items'][number];

const OFFERED = 20;
const METERS_PER_DEGREE = 111_195;

/** DCUs of the user's area, the nearest first. Within a town the earth is flat: the distance is an approximation for sorting. */
export async function listNearDcus(db: Db, user: User, { search, longitude, latitude }: QueryOf<typeof dcu.near>): Promise<NearDcu[]> {
  const like = search === undefined ? '%' : containing(search);
  const isPlaced = longitude !== undefined && latitude !== undefined;
  const distance = isPlaced
    ? sql`(${METERS_PER_DEGREE} * sqrt((p.latitude - ${latitude}) ^ 2 + ((p.longitude - ${longitude}) * cos(radians(${latitude}))) ^ 2))::int`
    : sql`null::int`;
  const { rows } = await sql<NearDcu>`
    select dcu.id, dcu.sn, dcu.name, transformer.name as transformer_name, dcu.online_status, ${distance} as distance_m
    from dcu left join transformer on transformer.id = dcu.transformer_id
    cross join lateral (select coalesce(dcu.longitude, transformer.longitude)::float8 as longitude, coalesce(dcu.latitude, transformer.latitude)::float8 as latitude) p
    where ${visible('dcu.transformerId', user)} and (dcu.sn like ${like.toUpperCase()} or dcu.name ilike ${like} or transformer.name ilike ${like})
    order by distance_m nulls last, dcu.sn limit ${OFFERED}`.execute(db);
  return rows;
}
