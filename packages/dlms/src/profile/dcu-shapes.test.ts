import { describe, expect, it, test } from 'vitest';
import { decode, encode } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import { dataCodec } from '../cosem/data.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import { faultsOf } from './dcu-shape-faults.ts';
import { entryCodec, REFERENCE_SHAPES, type ArrayShape, type DcuEntry } from './dcu-shapes.ts';
import { DCU_ENTRIES } from './reference-dcu.ts';

const text = (value: string): Uint8Array => Uint8Array.from(value, (letter) => letter.charCodeAt(0));
const ENTRY: DcuEntry<'archive'> = {
  measurementPoint: 7,
  serialNumber: text('M1'),
  address: text(''),
  protocol: 'dlms',
  communicationMode: 'rf',
  meterType: text('T'),
  phase: 'b',
  isMaster: true,
  collectorAddress: text('C'),
  keySlot: 3,
  enabled: true,
};
/** Another order, other types, other numbers, fewer fields, and one field of the DCU's own. */
const OTHER: ArrayShape = {
  id: 40,
  fields: [
    { name: 'serialNumber', type: 'visible-string' },
    { name: 'port', type: 'unsigned' },
    { name: 'phase', type: 'unsigned', values: { unknown: 9, a: 1, b: 2, c: 3, abc: 7 } },
    { name: 'isMaster', type: 'unsigned' },
    { name: 'measurementPoint', type: 'double-long-unsigned' },
  ],
};
const archive = REFERENCE_SHAPES.arrays.archive as ArrayShape; // as: the reference profile has it

describe('the codec of an entry', () => {
  it('encodes the reference shape as the reference profile does', () => {
    expect(toHex(encode(entryCodec('archive', archive), ENTRY))).toBe(toHex(encode(DCU_ENTRIES.archive, ENTRY)));
  });

  it('writes the fields of another shape in its order, with its types and numbers', () => {
    expect(decode(dataCodec, encode(entryCodec('archive', OTHER), ENTRY))).toEqual({
      type: 'structure',
      value: [
        { type: 'visibleString', value: 'M1' },
        { type: 'unsigned', value: 0 },
        { type: 'unsigned', value: 2 },
        { type: 'unsigned', value: 1 },
        { type: 'doubleLongUnsigned', value: 7 },
      ],
    });
  });

  it("keeps the DCU's own field, and gives absent fields their usual value", () => {
    const codec = entryCodec('archive', OTHER);
    const own = { ...ENTRY, port: 5 };
    const read = decode(codec, encode(codec, own));
    expect(read).toMatchObject({ serialNumber: text('M1'), phase: 'b', isMaster: true, measurementPoint: 7, port: 5 });
    expect(read).toMatchObject({ protocol: 'dlms', communicationMode: 'plc', enabled: true, keySlot: 0 });
  });

  it('an unknown number of a choice is malformed', () => {
    const shape = { id: 1, fields: [{ name: 'role', type: 'unsigned', values: { relay: 4 } }] };
    const octets = encode(entryCodec('topology', shape), { role: 'relay' } as DcuEntry<'topology'>); // as: the shape has no other field
    expect(decode(entryCodec('topology', shape), octets)).toMatchObject({ role: 'relay', phase: 'unknown', nodeId: 0 });
    octets[octets.length - 1] = 5;
    expect(() => decode(entryCodec('topology', shape), octets)).toThrow('UNKNOWN_ENUM');
  });

  it('every reference array is decoded as it was encoded', () => {
    const moment = fromEpochMs(1_795_000_000_000, -480);
    const task: DcuEntry<'tasks'> = { taskId: 1, start: moment, periodSeconds: 900, objects: [], depth: 2, priority: 3, enabled: false };
    const codec = entryCodec('tasks', REFERENCE_SHAPES.arrays.tasks as ArrayShape); // as: the reference profile has it
    expect(decode(codec, encode(codec, task))).toEqual(task);
    expect(toHex(encode(codec, task))).toBe(toHex(encode(DCU_ENTRIES.tasks, task)));
  });
});

describe('the check of shapes', () => {
  const faults = (arrays: Record<string, ArrayShape>, scripts: Record<string, number> = {}) =>
    faultsOf({ arrays, scripts }).map(({ fault, at, detail }) => `${fault} ${at} ${detail}`);
  const withFields = (fields: ArrayShape['fields']) => ({
    archive: { id: 1, fields: [{ name: 'serialNumber', type: 'octet-string' }, ...fields] },
  });

  test('the reference shapes have no faults', () => {
    expect(
      faultsOf({
        arrays: REFERENCE_SHAPES.arrays as Record<string, ArrayShape>,
        scripts: REFERENCE_SHAPES.scripts as Record<string, number>,
      }),
    ).toEqual([]); // as: no member is undefined
    expect(faults({ archive: OTHER })).toEqual([]);
  });

  test.each([
    ['an unknown array', { archives: OTHER }, 'unknown_array arrays archives'],
    [
      'two arrays of one id',
      { archive: OTHER, discovered: { id: 40, fields: [{ name: 'serialNumber', type: 'octet-string' }] } },
      'duplicate_id discovered 40',
    ],
    ['an archive without serial numbers', { archive: { id: 1, fields: [] } }, 'missing_field archive serialNumber'],
    ['a field twice', withFields([{ name: 'serialNumber', type: 'octet-string' }]), 'duplicate_field archive serialNumber'],
    ['a type that does not exist', withFields([{ name: 'keySlot', type: 'word' }]), 'unknown_type archive.keySlot word'],
    ['a number as a date', withFields([{ name: 'measurementPoint', type: 'date-time' }]), 'wrong_type archive.measurementPoint date-time'],
    [
      'a choice without a number',
      withFields([{ name: 'protocol', type: 'enum', values: { dlms: 1 } }]),
      'missing_value archive.protocol other',
    ],
    [
      'a word that the head-end does not know',
      withFields([{ name: 'protocol', type: 'enum', values: { dlms: 1, other: 2, mbus: 3 } }]),
      'unknown_value archive.protocol mbus',
    ],
    [
      'a number that its type cannot hold',
      withFields([{ name: 'protocol', type: 'enum', values: { dlms: 1, other: 256 } }]),
      'value_too_large archive.protocol 256',
    ],
    [
      'two words of one number',
      withFields([{ name: 'protocol', type: 'enum', values: { dlms: 1, other: 1 } }]),
      'duplicate_value archive.protocol 1',
    ],
  ])('%s is a fault', (_what, arrays, fault) => {
    expect(faults(arrays as Record<string, ArrayShape>)).toContain(fault); // as: test.each joins the types of its rows
  });

  test('an unknown script is a fault', () => {
    expect(faults({}, { reboot: 1 })).toEqual(['unknown_script scripts reboot']);
  });
});
