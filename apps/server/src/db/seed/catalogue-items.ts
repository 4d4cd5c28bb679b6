import { WELL_KNOWN, type WellKnownObject } from '@hes/dlms/catalogue/well-known.ts';
import type { ObisCategory } from '@hes/contract/states/obis.ts';
import { READING_ITEMS } from './reading-items.ts';

const REGISTER = 3;
const EXTENDED_REGISTER = 4;
const DEMAND_REGISTER = 5;
const PROFILE = 7;
const SCRIPTS = 9;
const RELAY = 70;

/** Group of the reading catalogue to which an object belongs. */
function categoryOf({ cosemClass, instance }: WellKnownObject): ObisCategory {
  const [a, , c = 0, d = 0] = instance.split('.').map(Number);
  if (cosemClass.id === PROFILE) return c === 99 && d === 98 ? 'event' : 'profile';
  if (cosemClass.id === DEMAND_REGISTER || cosemClass.id === EXTENDED_REGISTER) return 'demand';
  if (cosemClass.id === REGISTER && a === 1)
    return d === 8 ? 'energy' : c === 13 || c === 14 || c === 33 || c === 53 || c === 73 ? 'quality' : c === 90 ? 'current' : 'power';
  if (cosemClass.id === SCRIPTS || cosemClass.id === RELAY) return 'control';
  if (c === 96 && (d === 11 || d === 15)) return 'event';
  if (c === 97 || (c === 96 && (d === 10 || d === 7))) return 'status';
  if ((c === 96 && d === 1) || (c === 0 && d === 2)) return 'identity';
  return 'parameter';
}

const offered = new Set(READING_ITEMS.map((item) => item.key));

/**
 * The other objects of the protocol catalogue. They are disabled initially, because lists of readable items would otherwise be too long.
 */
export const CATALOGUE_ITEMS = Object.entries<WellKnownObject>(WELL_KNOWN)
  .filter(([key]) => !offered.has(key))
  .map(([key, object]) => ({
    key,
    obis: String(object.instance),
    classId: object.cosemClass.id,
    attribute: 2,
    nameEn: object.label.en,
    nameZh: object.label.zh,
    unit: 255,
    precision: 3,
    category: categoryOf(object),
    enabled: false,
  }));
