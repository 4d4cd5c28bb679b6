import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { decode, encode, type Codec } from '../src/codec/codec.ts';
import {
  arrayOf,
  boolean,
  dateOctets,
  dateTimeOctets,
  doubleLongUnsigned,
  integer,
  longUnsigned,
  octetString,
  unsigned,
} from '../src/cosem/data.ts';
import { fromEpochMs } from '../src/cosem/date-time.ts';
import {
  DCU_ARRAYS,
  DCU_ENTRIES,
  DCU_ENUMS,
  DCU_SCRIPTS,
  DCU_SHAPES,
  REFERENCE_DCU_OBJECTS,
  type DcuArrayName,
} from '../src/profile/reference-dcu.ts';

const DOCUMENT = readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'docs', 'dcu-profile.md'), 'utf8');

/** The rows of the table below a heading, without its header. */
function tableBelow(heading: string): string[][] {
  const from = DOCUMENT.indexOf(`\n${heading}\n`);
  if (from === -1) throw new Error(`no ${heading}`);
  const section = DOCUMENT.slice(from + heading.length + 2).split(/\n#{2,4} /)[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const TYPES = new Map<Codec<any>, string>([
  [octetString, 'octet-string'],
  [boolean, 'boolean'],
  [unsigned, 'unsigned'],
  [longUnsigned, 'long-unsigned'],
  [doubleLongUnsigned, 'double-long-unsigned'],
  [integer, 'integer'],
  [dateTimeOctets, 'date-time'],
  [dateOctets, 'octet-string(5)'],
]); // any: codecs of all types
const isEnum = (field: string): field is keyof typeof DCU_ENUMS => field in DCU_ENUMS;
const typeOf = (field: string, codec: Codec<any>): string => TYPES.get(codec) ?? (isEnum(field) ? 'enum' : 'array'); // any: codecs of all types

describe('docs/dcu-profile.md', () => {
  it.each([
    ['## Objects a DCU must have', REFERENCE_DCU_OBJECTS.required],
    ['## Objects a DCU may have', REFERENCE_DCU_OBJECTS.optional],
  ] as const)('lists below "%s" the objects of the profile', (heading, objects) => {
    const told = tableBelow(heading).map(([key, , classId, place, attribute]) => [key, classId, place, attribute]);
    const known = Object.entries(objects).map(([key, { classId, obis, attribute }]) => [key, String(classId), obis, String(attribute)]);
    expect(told).toEqual(known);
  });

  for (const [name, { id }] of Object.entries(DCU_ARRAYS) as [DcuArrayName, { id: number }][]) {
    // as: entries() widens the keys
    it(`lists the fields of ${name} in order, with types and numbers`, () => {
      const rows = tableBelow(`#### Array ${id}: ${name}`);
      const shape: Record<string, Codec<any>> = DCU_SHAPES[name]; // any: codecs of all types
      // A codec does not expose the element type of an array.
      expect(rows.map(([field, type]) => [field, type?.replace(/^array of .*/, 'array')])).toEqual(
        Object.entries(shape).map(([field, codec]) => [field, typeOf(field, codec)]),
      );
      for (const [field = '', , what = ''] of rows.filter(([field]) => field !== undefined && isEnum(field))) {
        const numbers = Object.entries(isEnum(field) ? DCU_ENUMS[field] : {}).map(([value, number]) => `${number} ${value}`);
        expect(what.startsWith(numbers.join(', '))).toBe(true);
      }
    });
  }

  it('numbers the scripts as the profile does', () => {
    expect(tableBelow('### Scripts').map(([number, name]) => [name, Number(number)])).toEqual(Object.entries(DCU_SCRIPTS));
  });
});

describe('the arrays of a DCU', () => {
  it('hold entries that are decoded as they were encoded', () => {
    const text = (value: string): Uint8Array => Uint8Array.from(value, (letter) => letter.charCodeAt(0));
    const moment = fromEpochMs(1_795_000_000_000, -480);
    const archive = {
      measurementPoint: 1,
      serialNumber: text('12345678'),
      address: text(''),
      protocol: 'dlms' as const,
      communicationMode: 'plc' as const,
      meterType: text('M1'),
      phase: 'a' as const,
      isMaster: false,
      collectorAddress: text(''),
      keySlot: 0,
      enabled: true,
    };
    expect(decode(DCU_ENTRIES.archive, encode(DCU_ENTRIES.archive, archive))).toEqual(archive);
    const entries = [
      {
        nodeId: 2,
        mac: text('ABCDEF'),
        serialNumber: text('12345678'),
        parentId: 1,
        level: 1,
        role: 'relay' as const,
        phase: 'b' as const,
        communicationMode: 'plc' as const,
        signal: -12,
        uplinkSuccess: 97,
        downlinkSuccess: 100,
        onlineSince: moment,
      },
    ];
    const topology = arrayOf(DCU_ENTRIES.topology);
    expect(decode(topology, encode(topology, entries))).toEqual(entries);
  });
});
