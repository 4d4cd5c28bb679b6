import { sql } from 'kysely';
import type { Db } from '#platform/context.ts';

export interface Place {
  classId: number;
  obis: string;
  attribute: number;
}

/** Where the model of a DCU keeps a thing, its own profile before those it extends; undefined: it has no such thing. */
export async function placeInProfile(db: Db, dcuId: string, key: string): Promise<Place | undefined> {
  const found = await sql<{ place: Place | null }>`
    with recursive line as (
      select p.key, p.body, 0 as depth from dcu d join dcu_type t on t.id = d.dcu_type_id join southbound_profile p on p.id = t.profile_id where d.id = ${dcuId}
      union all
      select p.key, p.body, line.depth + 1 from line join southbound_profile p on p.key = line.body ->> 'extends' where line.depth < 8
    )
    select body -> 'objects' -> ${key} as place from line where body -> 'objects' ? ${key} order by depth limit 1`.execute(db);
  return found.rows[0]?.place ?? undefined;
}
