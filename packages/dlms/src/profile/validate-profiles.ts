import { COSEM_CLASSES } from '../catalogue/classes.ts';
import { attributeName } from '../cosem/cosem-class.ts';
import { obis } from '../cosem/obis.ts';
import { UNIT_NONE, UNIT_OTHER, UNITS } from '../cosem/unit.ts';
import { ProfileError, resolveProfile, type DeviceProfile, type ProfileObject } from './device-profile.ts';

export type ComplaintCode =
  | 'DUPLICATE_KEY'
  | 'UNKNOWN_PROFILE'
  | 'CIRCLE'
  | 'OTHER_KIND'
  | 'REMOVES_NOTHING'
  | 'MALFORMED_OBIS'
  | 'UNKNOWN_CLASS'
  | 'UNKNOWN_ATTRIBUTE'
  | 'NO_UNIT'
  | 'UNKNOWN_UNIT'
  | 'UNKNOWN_CAPTURE'
  | 'DUPLICATE_PLACE';

/** A fault of a profile and its location. */
export interface Complaint {
  code: ComplaintCode;
  profile: string;
  /** Key of the object. */
  object?: string;
  detail: string;
}

const REGISTERS: ReadonlySet<number> = new Set([3, 4, 5]);
/** Profile generic, and push setup, whose captures are the objects it sends after itself. */
const CAPTURING: ReadonlySet<number> = new Set([7, 40]);

/**
 * Validates a set of profiles including inherited objects: duplicate keys, unknown parents, invalid OBIS codes, undeclared classes and
 * attributes, registers without a unit, columns of missing objects, and two keys for one attribute. An empty result means that the
 * profiles are usable.
 */
export function validateProfiles(profiles: readonly DeviceProfile[]): Complaint[] {
  return [...findDuplicates(profiles), ...profiles.flatMap((profile) => complaintsOf(profile, profiles))];
}

function findDuplicates(profiles: readonly DeviceProfile[]): Complaint[] {
  const keys = profiles.map(({ key }) => key);
  return keys
    .filter((key, i) => keys.indexOf(key) !== i)
    .map((key) => ({ code: 'DUPLICATE_KEY', profile: key, detail: `${key} is duplicate` }));
}

function complaintsOf(profile: DeviceProfile, profiles: readonly DeviceProfile[]): Complaint[] {
  const found: Complaint[] = [];
  const complain = (code: ComplaintCode, detail: string, object?: string): void => {
    found.push({ code, profile: profile.key, ...(object === undefined ? {} : { object }), detail });
  };
  const objects = resolveObjects(profile, profiles, complain);
  if (objects === undefined) return found;
  for (const [key, object] of objects) {
    // An inherited object is reported once, at the ancestor.
    if (profile.body.objects[key] === object) checkPlace(key, object, complain);
    for (const column of object.captures ?? [])
      if (!objects.has(column)) complain('UNKNOWN_CAPTURE', `${key} captures ${column}, which the device does not have`, key);
  }
  checkPlaces(objects, complain);
  return found;
}

type Complain = (code: ComplaintCode, detail: string, object?: string) => void;

function resolveObjects(
  profile: DeviceProfile,
  profiles: readonly DeviceProfile[],
  complain: Complain,
): Map<string, ProfileObject> | undefined {
  const { extends: parentKey, objects } = profile.body;
  try {
    const parent = parentKey === undefined ? undefined : resolveProfile(parentKey, profiles);
    if (parent !== undefined && parent.deviceKind !== profile.deviceKind)
      complain('OTHER_KIND', `a ${profile.deviceKind} like a ${parent.deviceKind}`);
    for (const [key, object] of Object.entries(objects))
      if (object === null && parent?.objects.has(key) !== true) complain('REMOVES_NOTHING', `no parent has ${key}`, key);
    return resolveProfile(profile.key, profiles).objects;
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    complain(error.code, error.message);
    return undefined;
  }
}

function checkPlace(
  key: string,
  { classId, version = 0, obis: place, attribute, unit, captures }: ProfileObject,
  complain: Complain,
): void {
  if (!isObis(place)) complain('MALFORMED_OBIS', `${key} is at ${place}`, key);
  const versions = COSEM_CLASSES.filter((declared) => declared.id === classId);
  const declared = versions.find((candidate) => candidate.version === version) ?? versions[0];
  if (declared === undefined) return complain('UNKNOWN_CLASS', `${key} is of class ${classId}`, key);
  if (attributeName(declared, attribute) === undefined)
    complain('UNKNOWN_ATTRIBUTE', `${declared.name} has no attribute ${attribute}`, key);
  if (REGISTERS.has(classId) && unit === undefined) complain('NO_UNIT', `${key} is a register`, key);
  if (unit !== undefined && UNITS[unit] === undefined && unit !== UNIT_OTHER && unit !== UNIT_NONE)
    complain('UNKNOWN_UNIT', `${key} has unit ${unit}`, key);
  if (captures !== undefined && !CAPTURING.has(classId))
    complain('UNKNOWN_CAPTURE', `${key} is neither a profile nor a push setup, so it cannot capture`, key);
}

function isObis(text: string): boolean {
  try {
    return obis(text) === text;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function checkPlaces(objects: ReadonlyMap<string, ProfileObject>, complain: Complain): void {
  const seen = new Map<string, string>();
  for (const [key, { classId, obis: place, attribute }] of objects) {
    const id = `${classId}/${place}/${attribute}`;
    const other = seen.get(id);
    if (other !== undefined) complain('DUPLICATE_PLACE', `${other} and ${key} are both ${id}`, key);
    seen.set(id, key);
  }
}
