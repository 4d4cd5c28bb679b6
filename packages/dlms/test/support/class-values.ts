import { expect } from 'vitest';
import { cosemClassOf } from '../../src/catalogue/classes.ts';
import { decode, encode } from '../../src/codec/codec.ts';
import { fromHex, toHex } from '../../src/codec/hex.ts';

/** Class, version and member: `63/0 mappingTable`. */
export type ClassMember = `${number}/${number} ${string}`;
/** A member, octets of its value, and the decoded value. */
export type ClassValue = [at: ClassMember, hex: string, value: unknown];

/** Decodes the octets by the declared class, compares the value, and encodes it again; `written` are the octets if they differ. */
export function checkClassValue(at: ClassMember, hex: string, value: unknown, written = hex): void {
  const [, id, version, member = ''] = /^(\d+)\/(\d+) (\w+)$/.exec(at) ?? [];
  const declared = cosemClassOf(Number(id), Number(version));
  const codec = declared?.attributes[member]?.codec ?? declared?.methods[member]?.argument;
  if (codec === undefined) throw new Error(`no ${at}`);
  const decoded = decode(codec, fromHex(hex));
  expect(decoded).toEqual(value);
  expect(toHex(encode(codec, decoded))).toBe(toHex(fromHex(written)));
}
