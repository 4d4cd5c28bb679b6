import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { expect, test } from 'vitest';
import { claimOf, decodeIdentification, isName, nameOf } from './identification.ts';

const push = (body: Data): Uint8Array => encodeNotification({ longInvokeId: 1, body: encode(dataCodec, body) });
const text = (value: string): Data => ({ type: 'octetString', value: Buffer.from(value) });
const list = (...value: Data[]): Data => ({ type: 'structure', value });

/** A general-glo-ciphering APDU with a title of this length. */
const ciphered = (titleOctets: number): Uint8Array =>
  Uint8Array.of(0xdb, titleOctets, ...Array<number>(titleOctets).fill(0x41), 18, 0x30, 0, 0, 0, 1, ...Array<number>(13).fill(0));

test('a push list claims the texts that may be names, also in lists within it', () => {
  const body = list(text('TIN88000001'), { type: 'doubleLongUnsigned', value: 7 }, list(text('no name!'), text('88000001')));
  expect(claimOf(push(body))).toEqual({ names: ['TIN88000001', '88000001'], systemTitle: undefined, isGreeting: false });
});

test('a push without a name, and octets that are no push, claim nothing', () => {
  expect(claimOf(push(list({ type: 'unsigned', value: 1 })))).toBeUndefined();
  expect(claimOf(Uint8Array.of(0x0f, 1, 2))).toBeUndefined();
  expect(claimOf(Uint8Array.of())).toBeUndefined();
});

test('no more than eight names are claimed, and none from far within', () => {
  expect(claimOf(push(list(...Array.from({ length: 30 }, (_none, n) => text(`METER${n + 100}`)))))?.names).toHaveLength(8);
  expect(claimOf(push(list(list(list(list(text('METER100')))))))).toBeUndefined();
});

test('a ciphered push claims its system title, which has eight octets', () => {
  expect(claimOf(ciphered(8))).toEqual({ names: [], systemTitle: new Uint8Array(8).fill(0x41), isGreeting: false });
  expect(claimOf(ciphered(100))).toBeUndefined();
  expect(claimOf(ciphered(0))).toBeUndefined();
});

test('a push under an agreed key and a signed push claim the title of their sender', () => {
  const title = new Uint8Array(8).fill(0x41);
  const header = [8, ...new Uint8Array(8), 8, ...title, 8, ...new Uint8Array(8), 0, 0];
  const agreed = Uint8Array.of(0xdd, ...header, 1, 2, 1, 2, 0, 18, 0x31, 0, 0, 0, 1, ...new Uint8Array(13));
  const signed = Uint8Array.of(0xdf, ...header, 3, 0x0f, 0, 0, 2, 1, 2);
  for (const apdu of [agreed, signed]) expect(claimOf(apdu)).toEqual({ names: [], systemTitle: title, isGreeting: false });
});

const greeting = (name: string, kind: number) =>
  push(list(text(name), { type: 'octetString', value: new Uint8Array(8).fill(0x41) }, { type: 'unsigned', value: kind }));

test('a greeting claims its name and title, and says whether it is a heartbeat', () => {
  const systemTitle = new Uint8Array(8).fill(0x41);
  expect(decodeIdentification(greeting('DCU-1', 0))).toEqual({ name: 'DCU-1', systemTitle, kind: 'hello' });
  expect(decodeIdentification(greeting('DCU-1', 1))).toEqual({ name: 'DCU-1', systemTitle, kind: 'heartbeat' });
  expect(decodeIdentification(greeting('DCU-1', 2))).toMatchObject({ kind: 'hello' });
  expect(claimOf(greeting('DCU-1', 0))).toEqual({ names: ['DCU-1'], systemTitle, isGreeting: true });
});

test('a name has 1 to 64 visible characters of ASCII, and a greeting with another one is none', () => {
  expect([isName('~'), isName('!'.repeat(64))]).toEqual([true, true]);
  for (const name of ['', '!'.repeat(65), 'A B', 'A\n', 'é', '\u007f']) {
    expect(isName(name)).toBe(false);
    expect(decodeIdentification(greeting(name, 0))).toBeUndefined();
  }
});

test('a caller is recorded under its first name, else under its system title', () => {
  const systemTitle = Uint8Array.of(0x4d, 0x4d, 0x0a);
  expect(nameOf({ names: ['A', 'B'], systemTitle, isGreeting: false })).toBe('A');
  expect(nameOf({ names: [], systemTitle, isGreeting: false })).toBe('4D4D0A');
  expect(nameOf({ names: [], systemTitle: undefined, isGreeting: false })).toBe('');
});
