import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import type { PushedObject } from '@hes/dlms/cosem/push-body.ts';
import { sql } from 'kysely';
import { profilePlaces, type ProfilePlace } from '#db/profile-places.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from '#db/context.ts';

/** Where something stands in a meter. */
export interface MeterPlace {
  classId: number;
  instance: Obis;
  attribute: number;
}

/** By name of what stands there, where that is another place than the usual one. */
export type Places = ReadonlyMap<string, MeterPlace>;

/** What push setups of a model send, by their names; each begins with the push setup itself. */
export type PushLists = ReadonlyMap<Obis, readonly PushedObject[]>;

export const USUAL_PLACES: Places = new Map();

const usualOf = (key: string): string | undefined => (WELL_KNOWN as Partial<Record<string, { instance: Obis }>>)[key]?.instance; // as: any name may stand in a template

/** A changed template is seen after this. */
const FRESH_MS = 60_000;

interface PlaceRow {
  typeId: string;
  key: string;
  place: ProfilePlace;
}

/** What the templates of meter types say. What a template takes away is asked for where it usually stands, and the meter says whether it has it. */
async function findPlaces(db: Db): Promise<PlaceRow[]> {
  const places = profilePlaces(sql`select profile_id from meter_type`);
  const found = await sql<PlaceRow>`
    select t.id as "typeId", key, place from meter_type t join ${places} as places using (profile_id)`.execute(db);
  return found.rows;
}

const NO_LISTS: PushLists = new Map();

const objectAt = ({ classId, obis: instance, attribute }: PlaceRow['place']): PushedObject => ({
  classId,
  instance: obis(instance),
  attributeId: attribute,
});

/** The lists of one type. One that names what the type does not have says nothing about any of its values. */
function pushListsIn(rows: readonly PlaceRow[]): PushLists {
  const byKey = new Map(rows.map(({ key, place }) => [key, objectAt(place)]));
  const lists = rows.flatMap(({ place }) => {
    if (place.classId !== pushSetup.id || place.captures === undefined) return [];
    const named = place.captures.map((key) => byKey.get(key));
    const list = [objectAt(place), ...named.filter((object) => object !== undefined)];
    return list.length === named.length + 1 ? [[obis(place.obis), list] as const] : [];
  });
  return new Map(lists);
}

/** Where the meters of each type keep their objects: few types make a fleet, so all of them are read together and kept for a minute. */
export class MeterPlaces {
  readonly #db: Db;
  #byType = new Map<string, Map<string, MeterPlace>>();
  #pushesByType = new Map<string, PushLists>();
  #readAt: MonotonicMs | undefined;
  #reading: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** A promise of having read them, when they are not fresh. */
  fresh(): Promise<void> | undefined {
    if (this.#readAt !== undefined && msSince(this.#readAt) < FRESH_MS) return undefined;
    return (this.#reading ??= this.#read().finally(() => (this.#reading = undefined)));
  }

  of(typeId: string): Places {
    return this.#byType.get(typeId) ?? USUAL_PLACES;
  }

  pushListsOf(typeId: string): PushLists {
    return this.#pushesByType.get(typeId) ?? NO_LISTS;
  }

  async #read(): Promise<void> {
    const byType = new Map<string, Map<string, MeterPlace>>();
    const rows = await findPlaces(this.#db);
    this.#pushesByType = new Map([...Map.groupBy(rows, ({ typeId }) => typeId)].map(([typeId, own]) => [typeId, pushListsIn(own)]));
    for (const { typeId, key, place } of rows) {
      if (usualOf(key) === place.obis) continue;
      const places = byType.get(typeId) ?? new Map<string, MeterPlace>();
      places.set(key, { classId: place.classId, instance: obis(place.obis), attribute: place.attribute });
      byType.set(typeId, places);
    }
    this.#byType = byType;
    this.#readAt = monotonicNow();
  }
}
