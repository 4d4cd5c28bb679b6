import { data } from '@hes/dlms/cosem/classes/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { simulate } from '#devices/simulate.ts';

/** One value, evaluated at each access. */
export const dataObject = simulate(data, (valueOf: () => Data) => ({ read: { value: valueOf } }));

/** Identification text: an octet-string of ASCII. */
export const asciiOctets = (text: string): Data => ({
  type: 'octetString',
  value: Uint8Array.from(text, (letter) => letter.charCodeAt(0)),
});
