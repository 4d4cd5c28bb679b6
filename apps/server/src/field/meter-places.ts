import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import type { Pool } from 'pg';

/** Where something stands in a meter. */
export interface MeterPlace {
  classId: number;
  instance: Obis;
  attribute: number;
}

/** By name of what stands there, where that is another place than the usual one. */
export type Places = ReadonlyMap<string, MeterPlace>;

export const USUAL_PLACES: Places = new Map();

const usualOf = (key: string): string | undefined => (WELL_KNOWN as Partial<Record<string, { instance: Obis }>>)[key]?.instance; // as: any name may stand in a template

/** A changed template is seen after this. */
const FRESH_MS = 60_000;

interface PlaceRow {
  typeId: string;
  key: string;
  place: { classId: number; obis: string; attribute: number };
}

/**
 * What the templates of meter types say, a type's own before those it extends. What a template takes away is asked for where it usually
 * stands, and the meter says whether it has it.
 */
async function findPlaces(pool: Pool): Promise<PlaceRow[]> {
  const found = await pool.query<PlaceRow>({
    name: 'meter_places',
    text: `
      with recursive line as (
        select t.id as type_id, p.body, 0 as depth from meter_type t join southbound_profile p on p.id = t.profile_id
        union all
        select line.type_id, p.body, line.depth + 1 from line join southbound_profile p on p.key = line.body ->> 'extends' where line.depth < 8
      ), placed as (
        select distinct on (type_id, o.key) type_id, o.key, o.value as place from line, jsonb_each(line.body -> 'objects') o order by type_id, o.key, depth
      )
      select type_id as "typeId", key, place from placed where jsonb_typeof(place) = 'object'`,
  });
  return found.rows;
}

/** Where the meters of each type keep their objects: few types make a fleet, so all of them are read together and kept for a minute. */
export class MeterPlaces {
  readonly #pool: Pool;
  #byType = new Map<string, Map<string, MeterPlace>>();
  #readAt: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** A promise of having read them, when they are not fresh. */
  fresh(): Promise<void> | undefined {
    if (this.#readAt !== undefined && performance.now() - this.#readAt < FRESH_MS) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  of(typeId: string): Places {
    return this.#byType.get(typeId) ?? USUAL_PLACES;
  }

  async #read(): Promise<void> {
    const byType = new Map<string, Map<string, MeterPlace>>();
    for (const { typeId, key, place } of await findPlaces(this.#pool)) {
      if (usualOf(key) === place.obis) continue;
      const places = byType.get(typeId) ?? new Map<string, MeterPlace>();
      places.set(key, { classId: place.classId, instance: obis(place.obis), attribute: place.attribute });
      byType.set(typeId, places);
    }
    this.#byType = byType;
    this.#readAt = performance.now();
  }
}
