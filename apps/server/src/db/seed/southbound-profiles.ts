import { DCU_FEATURES } from '@hes/contract/asset/dcu-type.ts';
import { WELL_KNOWN, type WellKnownObject } from '@hes/dlms/catalogue/well-known.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
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

const usual = ({ cosemClass, instance }: WellKnownObject, attribute: number = MAIN_ATTRIBUTE): ProfileObject => ({
  classId: cosemClass.id,
  obis: instance,
  attribute,
});
const offered = Object.fromEntries(READING_ITEMS.map(({ key, classId, obis, attribute }) => [key, { classId, obis, attribute }]));

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
        ASSOCIATION: usual(WELL_KNOWN.ASSOCIATION),
        SECURITY: usual(WELL_KNOWN.SECURITY),
        IC: usual(WELL_KNOWN.IC),
        RELAY: usual(WELL_KNOWN.RELAY, disconnectControl.attributes.controlState.id),
        EVLOG0: usual(WELL_KNOWN.EVLOG0),
        EVLOG1: usual(WELL_KNOWN.EVLOG1),
        EVLOG4: usual(WELL_KNOWN.EVLOG4),
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
