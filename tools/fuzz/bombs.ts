import { fromHex } from '@hes/dlms/codec/hex.ts';
import { LARGEST_INPUT } from './mutate.ts';

/** What costs most per octet: the smallest elements there are, as many as fit. */
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
  '0400',
  '120001',
  '0500000001',
  '06FFFFFFFF',
  '15FFFFFFFFFFFFFFFF',
  '090C07EA0B15FF00000000800000',
];

function repeated(head: Uint8Array, element: Uint8Array): Uint8Array {
  const count = Math.min(0xffff, Math.floor((LARGEST_INPUT - head.length - 4) / element.length));
  const whole = new Uint8Array(head.length + 4 + count * element.length);
  whole.set(head);
  whole.set([0x01, 0x82, count >> 8, count & 0xff], head.length);
  for (let i = 0; i < count; i++) whole.set(element, head.length + 4 + i * element.length);
  return whole;
}

/** 64 KiB of this element. */
export const bombOf = (head: string, element: string): Uint8Array => repeated(fromHex(head), fromHex(element));

/** 64 KiB of one element behind what a target wants to see first. */
export const bombsOf = (head: string): Uint8Array[] => ELEMENTS.map((element) => repeated(fromHex(head), fromHex(element)));
