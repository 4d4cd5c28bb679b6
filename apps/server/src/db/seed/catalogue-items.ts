import { WELL_KNOWN, type WellKnownObject } from '@hes/dlms/catalogue/well-known.ts';
import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { disconnectControl } from '@hes/dlms/cosem/classes/disconnect-control.ts';
import { extendedRegister } from '@hes/dlms/cosem/classes/extended-register.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { scriptTable } from '@hes/dlms/cosem/classes/script-table.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';
import type { ObisCategory } from '@hes/contract/states/obis.ts';
import { READING_ITEMS } from './reading-items.ts';

/** Group of the reading catalogue to which an object belongs. */
function categoryOf({ cosemClass, instance }: WellKnownObject): ObisCategory {
  const [a, , c = 0, d = 0] = instance.split('.').map(Number);
  if (cosemClass === profileGeneric) return c === 99 && d === 98 ? 'event' : 'profile';
  if (cosemClass === demandRegister || cosemClass === extendedRegister) return 'demand';
  if (cosemClass === register && a === 1)
    return d === 8 ? 'energy' : c === 13 || c === 14 || c === 33 || c === 53 || c === 73 ? 'quality' : c === 90 ? 'current' : 'power';
  if (cosemClass === scriptTable || cosemClass === disconnectControl) return 'control';
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
    attribute: MAIN_ATTRIBUTE,
    nameEn: object.label.en,
    nameZh: object.label.zh,
    unit: 255,
    precision: 3,
    category: categoryOf(object),
    enabled: false,
  }));
