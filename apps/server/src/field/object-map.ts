import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import type { PushedObject } from '@hes/dlms/cosem/push-body.ts';
import { sql } from 'kysely';
import { profilePlaces, type ProfilePlace } from '#db/profile-places.ts';
import { monotonicNow, msSince, type MonotonicMs } from '#platform/clock.ts';
import type { Db } from '#db/context.ts';

/** Class, logical name and attribute of an object of a meter. */
export interface ObjectLocation {
  classId: number;
  instance: Obis;
  attribute: number;
}

/** Objects of a meter type by well-known key, as far as their logical name differs from the standard one. */
export type ObjectMap = ReadonlyMap<string, ObjectLocation>;

/** Push object lists of a meter type by the logical name of their push setup; each begins with the push setup itself. */
export type PushLists = ReadonlyMap<Obis, readonly PushedObject[]>;

/** Every object has its standard logical name. */
export const STANDARD_OBJECTS: ObjectMap = new Map();

const standardNameOf = (key: string): string | undefined => (WELL_KNOWN as Partial<Record<string, { instance: Obis }>>)[key]?.instance; // as: a template may contain any key

/** A changed template takes effect after this time. */
const MAX_AGE_MS = 60_000;

interface ObjectRow {
  typeId: string;
  key: string;
  place: ProfilePlace;
}

/** Objects of the southbound profiles of all meter types. An object that a profile removes is read at its standard name. */
async function findObjects(db: Db): Promise<ObjectRow[]> {
  const places = profilePlaces(sql`select profile_id from meter_type`);
  const found = await sql<ObjectRow>`
    select t.id as "typeId", key, place from meter_type t join ${places} as places using (profile_id)`.execute(db);
  return found.rows;
}

const NO_LISTS: PushLists = new Map();

const toPushedObject = ({ classId, obis: instance, attribute }: ObjectRow['place']): PushedObject => ({
  classId,
  instance: obis(instance),
  attributeId: attribute,
});

/** Push lists of one meter type. A list with a key that the type does not have is left out, because the order of its values is unknown. */
function buildPushLists(rows: readonly ObjectRow[]): PushLists {
  const byKey = new Map(rows.map(({ key, place }) => [key, toPushedObject(place)]));
  const lists = rows.flatMap(({ place }) => {
    if (place.classId !== pushSetup.id || place.captures === undefined) return [];
    const named = place.captures.map((key) => byKey.get(key));
    const list = [toPushedObject(place), ...named.filter((object) => object !== undefined)];
    return list.length === named.length + 1 ? [[obis(place.obis), list] as const] : [];
  });
  return new Map(lists);
}

/** Object maps and push lists of all meter types. A fleet has few types, so one query loads them all, at most once a minute. */
export class ObjectMapCache {
  readonly #db: Db;
  #byType = new Map<string, Map<string, ObjectLocation>>();
  #pushesByType = new Map<string, PushLists>();
  #loadedAt: MonotonicMs | undefined;
  #loading: Promise<void> | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Loads them again when they are older than a minute; undefined: nothing to wait for. */
  refresh(): Promise<void> | undefined {
    if (this.#loadedAt !== undefined && msSince(this.#loadedAt) < MAX_AGE_MS) return undefined;
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  objectMapOf(typeId: string): ObjectMap {
    return this.#byType.get(typeId) ?? STANDARD_OBJECTS;
  }

  pushListsOf(typeId: string): PushLists {
    return this.#pushesByType.get(typeId) ?? NO_LISTS;
  }

  async #load(): Promise<void> {
    const byType = new Map<string, Map<string, ObjectLocation>>();
    const rows = await findObjects(this.#db);
    this.#pushesByType = new Map([...Map.groupBy(rows, ({ typeId }) => typeId)].map(([typeId, own]) => [typeId, buildPushLists(own)]));
    for (const { typeId, key, place } of rows) {
      if (standardNameOf(key) === place.obis) continue;
      const objectMap = byType.get(typeId) ?? new Map<string, ObjectLocation>();
      objectMap.set(key, { classId: place.classId, instance: obis(place.obis), attribute: place.attribute });
      byType.set(typeId, objectMap);
    }
    this.#byType = byType;
    this.#loadedAt = monotonicNow();
  }
}
