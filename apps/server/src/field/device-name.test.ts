import { expect, test } from 'vitest';
import { failed, ok, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { checkDcuName, checkIdentity, isNameOf, readSerialNames } from './device-name.ts';
import type { DeviceLink } from './link.ts';
import { NO_QUIRKS, type Quirks } from './quirks.ts';

test.each([
  ['HES270000100001', '270000100001', true],
  ['ISK1030775213859', '75213859', true],
  ['abc00000000012', '12', true],
  ['ABC112', '12', false],
  ['HES270000100002', '270000100001', false],
  ['270000100001', 'HES270000100001', false],
  ['', '12', false],
])('the name %s belongs to the meter %s: %s', (name, sn, isIts) => {
  expect(isNameOf(name, sn)).toBe(isIts);
});

const SHORT: Quirks = new Set(['ldn_short']);
test.each([
  ['HES100001', '270000100001', true],
  ['HES00001', '270000100001', false],
  ['HES100002', '270000100001', false],
  ['HES270000100001', '270000100001', true],
  ['HES', '270000100001', false],
])('the short name %s belongs to the meter %s: %s', (name, sn, isIts) => {
  expect(isNameOf(name, sn, SHORT)).toBe(isIts);
});

test('a short name counts for types with this quirk only', () => {
  expect(isNameOf('HES100001', '270000100001')).toBe(false);
});

const octetString = (text: string) => Buffer.concat([Buffer.from([0x09, text.length]), Buffer.from(text, 'latin1')]);
/** The response to a read: a text, or a refusal. */
type Said = string | { refused: ReasonCode };
const outcomeOf = (said: Said): Outcome<Uint8Array> => (typeof said === 'string' ? ok(octetString(said)) : failed(said.refused));
const UNDEFINED: Said = { refused: 'OBJECT_UNDEFINED' };
const DENIED: Said = { refused: 'ACCESS_DENIED' };
const SILENT: Said = { refused: 'METER_TIMEOUT' };

/** A link to a device whose logical device name and serial number are these. Counts the reads. */
function linkTo(name: Said, serial: Said, quirks: Quirks = NO_QUIRKS) {
  const responses = [name, serial];
  const link = { device: { quirks }, get: () => Promise.resolve(outcomeOf(responses.shift() ?? expect.fail('A third read'))) };
  return { link: link as unknown as DeviceLink, unread: () => responses.length }; // as: only these members are used
}

test.each<[string, Said, Said, unknown, unread: number]>([
  ['says its own name', 'HES270000100001', UNDEFINED, { ok: true }, 1],
  ['says its serial number although its name has none', 'HES-TYPE-7', '270000100001', { ok: true }, 0],
  ['says its serial number and no name', UNDEFINED, '270000100001', { ok: true }, 0],
  ['may only say its serial number', DENIED, '270000100001', { ok: true }, 0],
  ['says another name and serial number', 'HES1', '2', { reason: 'IDENTITY_MISMATCH', detail: 'HES1, 2' }, 0],
  ['says another name and has no serial number', 'HES1', UNDEFINED, { reason: 'IDENTITY_MISMATCH', detail: 'HES1' }, 0],
  ['says another name and refuses its serial number', 'HES1', DENIED, { reason: 'IDENTITY_MISMATCH', detail: 'HES1' }, 0],
  ['says no name and another serial number', UNDEFINED, '2', { reason: 'IDENTITY_MISMATCH', detail: '2' }, 0],
  ['refuses both', DENIED, DENIED, { reason: 'AUTH_FAILED', detail: 'The meter refuses to say its name' }, 0],
  ['has neither', UNDEFINED, UNDEFINED, { reason: 'AUTH_FAILED' }, 0],
  ['does not respond', SILENT, '270000100001', { reason: 'METER_TIMEOUT' }, 1],
  ['stops to respond after another name', 'HES1', SILENT, { reason: 'METER_TIMEOUT' }, 0],
  ['stops to respond after no name', UNDEFINED, SILENT, { reason: 'METER_TIMEOUT' }, 0],
])('the identity of a meter that %s', async (_what, name, serial, expected, unread) => {
  const meter = linkTo(name, serial);
  expect(await checkIdentity(meter.link, '270000100001')).toMatchObject(expected as object); // as: a part of an outcome
  expect(meter.unread()).toBe(unread);
});

test('a short name proves the identity of meters with the quirk', async () => {
  expect(await checkIdentity(linkTo('HES100001', UNDEFINED, SHORT).link, '270000100001')).toMatchObject({ ok: true });
  expect(await checkIdentity(linkTo('HES100001', UNDEFINED).link, '270000100001')).toMatchObject({ reason: 'IDENTITY_MISMATCH' });
});

test('the name of a DCU is its serial number and nothing else', async () => {
  const check = (name: Said) => checkDcuName(linkTo(name, UNDEFINED).link, 'DCU1');
  expect(await check('DCU1')).toMatchObject({ ok: true });
  expect(await check('HESDCU1')).toMatchObject({ ok: false, reason: 'AUTH_FAILED', detail: 'The logical device name is HESDCU1' });
  expect(await check(SILENT)).toMatchObject({ ok: false, reason: 'METER_TIMEOUT' });
});

test('the names of a device are those that it says, without spaces', async () => {
  const names = (name: Said, serial: Said) => readSerialNames(linkTo(name, serial).link);
  expect(await names(' HES1 ', '2')).toEqual(['HES1', '2']);
  expect(await names(UNDEFINED, '2')).toEqual(['2']);
  expect(await names('  ', DENIED)).toEqual([]);
});
