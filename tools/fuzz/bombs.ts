import { fromHex } from '@hes/dlms/codec/hex.ts';
import { LARGEST_INPUT } from './mutate.ts';

/** The most expensive content per octet: as many minimal elements as fit. */
const ELEMENTS = [
  '00',
  '0301',
  '1107',
  '0F80',
  '1612',
  '0900',
  '0A00',
  '0200',
  '0100',
  '02020100',
  '0103020100020100',
  '0400',
  '040180',
  '0A0141',
  '120001',
  '13110107',
  '0500000001',
  '06FFFFFFFF',
  '15FFFFFFFFFFFFFFFF',
  '090C07EA0B15FF00000000800000',
];

/** A count after `head`, and as many elements as fit. */
function repeated(head: Uint8Array, element: Uint8Array): Uint8Array {
  const count = Math.min(0xffff, Math.floor((LARGEST_INPUT - head.length - 3) / element.length));
  const whole = new Uint8Array(head.length + 3 + count * element.length);
  whole.set(head);
  whole.set([0x82, count >> 8, count & 0xff], head.length);
  for (let i = 0; i < count; i++) whole.set(element, head.length + 3 + i * element.length);
  return whole;
}

/** 64 KiB of this element. */
export const bombOf = (head: string, element: string): Uint8Array => repeated(fromHex(`${head}01`), fromHex(element));

/** 64 KiB of each element after the header that a target expects. */
export const bombsOf = (head: string): Uint8Array[] => ELEMENTS.map((element) => bombOf(head, element));

/** Headers of services with a list, and the smallest entry of each. */
const LISTS: readonly (readonly [head: string, entry: string])[] = [
  ['C403C1', '0000'],
  ['C403C1', '001105'],
  ['C505C1', '00'],
  ['C703C1', '00010000'],
  ['0C', '0000'],
  ['0D', '00'],
  ['05', '020000'],
];

/** Services with as many entries as fit. */
export const listBombs = (): Uint8Array[] => LISTS.map(([head, entry]) => repeated(fromHex(head), fromHex(entry)));
