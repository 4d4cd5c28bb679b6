import { DCU_FEATURES } from '@hes/contract/asset/dcu-type.ts';
import type { ProfileObject } from '@hes/dlms/profile/device-profile.ts';
import { REFERENCE_DCU_OBJECTS } from '@hes/dlms/profile/reference-dcu.ts';
import { READING_ITEMS } from './reading-items.ts';

/** Objects and behaviour of a device model, as data. A profile that `extends` another one contains only the differences. */
export interface SouthboundBody {
  extends?: string;
  /** Null removes an inherited object. */
  objects: Record<string, ProfileObject | null>;
  /** Known deviations, by name. */
  quirks: Record<string, unknown>;
  /** Features of a DCU besides its objects. */
  features?: string[];
}

export interface SeedProfile {
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  body: SouthboundBody;
}

const object = (classId: number, obis: string, attribute = 2): ProfileObject => ({ classId, obis, attribute });
const offered = Object.fromEntries(READING_ITEMS.map((item) => [item.key, object(item.classId, item.obis, item.attribute)]));

const SINGLE_PHASE_LACKS = ['U2', 'U3', 'I2', 'I3', 'I0'];

/** The reference models; `docs/dcu-profile.md` describes the first. */
export const SOUTHBOUND_PROFILES: SeedProfile[] = [
  {
    key: 'hes-dcu-1',
    name: 'Reference DCU',
    deviceKind: 'dcu',
    body: {
      // Includes optional objects; the object list of the DCU shows whether they exist.
      objects: { ...REFERENCE_DCU_OBJECTS.required, ...REFERENCE_DCU_OBJECTS.optional },
      features: [...DCU_FEATURES],
      quirks: {},
    },
  },
  {
    key: 'hes-meter-3p4w',
    name: 'Reference meter, three-phase four-wire',
    deviceKind: 'meter',
    body: {
      objects: {
        ...offered,
        ASSOCIATION: object(15, '0.0.40.0.0.255'),
        SECURITY: object(64, '0.0.43.0.0.255'),
        IC: object(1, '0.0.43.1.0.255'),
        RELAY: object(70, '0.0.96.3.10.255', 3),
        EVLOG0: object(7, '0.0.99.98.0.255'),
        EVLOG1: object(7, '0.0.99.98.1.255'),
        EVLOG4: object(7, '0.0.99.98.4.255'),
      },
      quirks: {},
    },
  },
  {
    key: 'hes-meter-1p2w',
    name: 'Reference meter, single-phase two-wire',
    deviceKind: 'meter',
    body: { extends: 'hes-meter-3p4w', objects: Object.fromEntries(SINGLE_PHASE_LACKS.map((key) => [key, null])), quirks: {} },
  },
];

/** The object map of a profile, including inherited objects. Throws on a cycle or an unknown parent. */
export function resolveObjects(
  key: string,
  profiles: { key: string; body: SouthboundBody }[],
  seen: string[] = [],
): Map<string, ProfileObject> {
  const profile = profiles.find((candidate) => candidate.key === key);
  if (profile === undefined || seen.includes(key)) throw new Error(`Southbound profile ${[...seen, key].join(' → ')} does not resolve`);
  const parent = profile.body.extends;
  const objects = parent === undefined ? new Map<string, ProfileObject>() : resolveObjects(parent, profiles, [...seen, key]);
  for (const [name, place] of Object.entries(profile.body.objects)) {
    if (place === null) objects.delete(name);
    else objects.set(name, place);
  }
  return objects;
}
