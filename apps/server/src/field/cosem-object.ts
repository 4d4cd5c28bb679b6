import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import type { ObjectMap } from './object-map.ts';

/** An object of a meter, at the logical name that its model declares, else at its usual one. */
export const cosemObjectOf = <K extends WellKnownKey>(objectMap: ObjectMap, key: K): CosemObject<(typeof WELL_KNOWN)[K]['cosemClass']> => ({
  cosemClass: WELL_KNOWN[key].cosemClass,
  instance: objectMap.get(key)?.instance ?? WELL_KNOWN[key].instance,
});
