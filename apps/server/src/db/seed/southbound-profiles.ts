import { partsOf, type DcuAdapter, type DcuPart } from '@hes/contract/asset/dcu-part.ts';
import { DCU_FEATURES } from '@hes/contract/asset/dcu-type.ts';
import { WELL_KNOWN, type WellKnownObject } from '@hes/dlms/catalogue/well-known.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import type { ProfileShapes } from '@hes/contract/asset/southbound.ts';
import { REFERENCE_SHAPES } from '@hes/dlms/profile/dcu-shapes.ts';
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
  /** How the head-end speaks to a DCU; default: `dlms`. */
  adapter?: DcuAdapter | undefined;
  /** Arrays and scripts of a DCU; default: those of the reference profile. */
  shapes?: ProfileShapes | undefined;
  /** Parameters of a DCU; default: those of the reference profile. */
  parameters?: 'reference' | 'none' | undefined;
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
      adapter: 'dlms',
      shapes: REFERENCE_SHAPES as ProfileShapes, // as: no member of the reference is undefined
      parameters: 'reference',
    },
  },
  {
    key: 'hes-gateway',
    name: 'Plain gateway',
    deviceKind: 'dcu',
    body: {
      objects: { LDN: usual(WELL_KNOWN.LDN), CLOCK: usual(WELL_KNOWN.CLOCK) },
      features: ['gateway'],
      quirks: {},
      adapter: 'gateway',
      parameters: 'none',
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

/** A profile with everything it inherits. */
export interface ResolvedBody {
  objects: Map<string, ProfileObject>;
  adapter: DcuAdapter;
  /** Undefined: those of the reference profile. */
  shapes: ProfileShapes | undefined;
  parameters: 'reference' | 'none';
}

/** Merges the bodies of a profile and of the profiles it extends, the profile itself first. The nearest value applies. */
export function mergeBodies(line: readonly Partial<SouthboundBody>[]): ResolvedBody {
  const objects = new Map<string, ProfileObject>();
  for (const [name, place] of line.toReversed().flatMap((body) => Object.entries(body.objects ?? {}))) {
    if (place === null) objects.delete(name);
    else objects.set(name, place);
  }
  return {
    objects,
    adapter: line.find((body) => body.adapter !== undefined)?.adapter ?? 'dlms',
    shapes: line.find((body) => body.shapes !== undefined)?.shapes,
    parameters: line.find((body) => body.parameters !== undefined)?.parameters ?? 'reference',
  };
}

/** A profile with everything it inherits. Throws on a cycle or an unknown parent. */
export function resolveBody(key: string, profiles: readonly { key: string; body: SouthboundBody }[]): ResolvedBody {
  const line: SouthboundBody[] = [];
  const seen: string[] = [];
  for (let next: string | undefined = key; next !== undefined;) {
    const wanted: string = next;
    const profile = profiles.find((candidate) => candidate.key === wanted);
    if (profile === undefined || seen.includes(wanted))
      throw new Error(`Southbound profile ${[...seen, wanted].join(' → ')} does not resolve`);
    seen.push(wanted);
    line.push(profile.body);
    next = profile.body.extends;
  }
  return mergeBodies(line);
}

/** What a DCU with this profile has besides forwarding. */
export const partsOfBody = ({ objects, adapter, shapes, parameters }: ResolvedBody): DcuPart[] =>
  partsOf({ adapter, objects: new Set(objects.keys()), shapes, hasParameters: parameters === 'reference' });
