import { mapped, type Codec, type ValueOf } from '../codec/codec.ts';
import type { ByteReader } from '../codec/byte-reader.ts';
import {
  boolean,
  dateOctets,
  dateTimeOctets,
  doubleLong,
  doubleLongUnsigned,
  enumerated,
  enumNumber,
  integer,
  long,
  longUnsigned,
  octetString,
  structure,
  unsigned,
  visibleString,
} from '../cosem/data.ts';
import { DCU_ARRAYS, DCU_ENUMS, DCU_SCRIPTS, DCU_SHAPES, type DCU_ENTRIES, type DcuArrayName } from './reference-dcu.ts';

/** An entry of an array as the head-end uses it, whatever its shape on the wire is. */
export type DcuEntry<N extends DcuArrayName> = ValueOf<(typeof DCU_ENTRIES)[N]>;
export type DcuScript = keyof typeof DCU_SCRIPTS;

/** One field of an entry: its name in the head-end, its type on the wire, and for a choice the number of each word. */
export interface FieldShape {
  name: string;
  type: string;
  values?: Record<string, number> | undefined;
}

/** Id of an array in the array manager, and the fields of its entries in their order. */
export interface ArrayShape {
  id: number;
  fields: readonly FieldShape[];
}

/**
 * Shapes of the arrays and numbers of the scripts of a DCU model, as data. An absent array or script does not exist in the model.
 * A field that the head-end does not know belongs to the DCU: an update keeps its value, and an insertion sends an empty one.
 */
export interface DcuShapes {
  arrays: Partial<Record<DcuArrayName, ArrayShape>>;
  scripts: Partial<Record<DcuScript, number>>;
}

const NUMBERS = {
  enum: enumNumber,
  unsigned,
  'long-unsigned': longUnsigned,
  'double-long-unsigned': doubleLongUnsigned,
  integer,
  long,
  'double-long': doubleLong,
} as const satisfies Record<string, Codec<number>>;
export type NumberType = keyof typeof NUMBERS;

const octetsOf = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const textOf = (octets: Uint8Array): string => String.fromCharCode(...octets);

const OTHERS: Record<string, Codec<any>> = {
  // any: each type has another value.
  boolean,
  'octet-string': octetString,
  'visible-string': mapped(visibleString, octetsOf, textOf),
  'date-time': dateTimeOctets,
  date: dateOctets,
  // Their elements are those of the reference profile.
  'capture-objects': DCU_SHAPES.tasks.objects,
  numbers: DCU_SHAPES.modules.noise,
};

export const isNumberType = (type: string): type is NumberType => Object.hasOwn(NUMBERS, type);

/** Type names of Data as the Blue Book has them (4.1.5), and two arrays of the reference profile. */
export const FIELD_TYPES: readonly string[] = [...Object.keys(NUMBERS), ...Object.keys(OTHERS)];

/** What a field of the head-end means; a kind may have several types on the wire. */
type Kind = 'number' | 'choice' | 'flag' | 'text' | 'moment' | 'date' | 'objects' | 'numbers';

export const TYPES_OF: Record<Kind, readonly string[]> = {
  number: Object.keys(NUMBERS),
  choice: Object.keys(NUMBERS),
  flag: ['boolean', ...Object.keys(NUMBERS)],
  text: ['octet-string', 'visible-string'],
  moment: ['date-time'],
  date: ['date'],
  objects: ['capture-objects'],
  numbers: ['numbers'],
};

export const isChoice = (field: string): field is keyof typeof DCU_ENUMS => Object.hasOwn(DCU_ENUMS, field);

/** Type of a field in the reference profile. */
function referenceType(name: string, codec: Codec<any>): string {
  // any: codecs of all types
  if (isChoice(name)) return 'enum';
  const found = Object.entries({ ...NUMBERS, ...OTHERS }).find(([, known]) => known === codec);
  if (found === undefined) throw new Error(`The reference profile has a field ${name} of an unknown type`);
  return found[0];
}

function kindOf(name: string, type: string): Kind {
  if (isChoice(name)) return 'choice';
  const kinds: readonly Kind[] = ['number', 'text', 'moment', 'date', 'objects', 'numbers'];
  return kinds.find((kind) => TYPES_OF[kind].includes(type)) ?? 'flag';
}

const shapeOf = (name: DcuArrayName): ArrayShape => ({
  id: DCU_ARRAYS[name].id,
  fields: Object.entries<Codec<any>>(DCU_SHAPES[name]).map(([field, codec]) => ({
    // any: codecs of all types
    name: field,
    type: referenceType(field, codec),
    ...(isChoice(field) ? { values: { ...DCU_ENUMS[field] } } : {}),
  })),
});

const ARRAY_NAMES = Object.keys(DCU_ARRAYS) as DcuArrayName[]; // as: keys of that very table

/** Shapes of the reference DCU. */
export const REFERENCE_SHAPES: DcuShapes = {
  arrays: Object.fromEntries(ARRAY_NAMES.map((name) => [name, shapeOf(name)])),
  scripts: { ...DCU_SCRIPTS },
};

const NO_DATE = { year: null, month: null, day: null, dayOfWeek: null };
const EMPTY: Record<Kind, unknown> = {
  number: 0,
  choice: 0,
  flag: false,
  text: new Uint8Array(0),
  moment: { ...NO_DATE, hour: null, minute: null, second: null, hundredths: null, deviationMinutes: null, status: null },
  date: NO_DATE,
  objects: [],
  numbers: [],
};
/** Values of absent fields that are not simply empty. */
const USUAL: Readonly<Record<string, unknown>> = {
  protocol: 'dlms',
  communicationMode: 'plc',
  phase: 'unknown',
  role: 'station',
  enabled: true,
  priority: 1,
};
const usualOf = (name: string, type: string): unknown => (Object.hasOwn(USUAL, name) ? USUAL[name] : EMPTY[kindOf(name, type)]);

/** The known fields of an array and their kinds. */
export const KNOWN_FIELDS: Record<DcuArrayName, ReadonlyMap<string, { kind: Kind; usual: unknown }>> = Object.fromEntries(
  ARRAY_NAMES.map((name) => [
    name,
    new Map(
      shapeOf(name).fields.map((field) => [field.name, { kind: kindOf(field.name, field.type), usual: usualOf(field.name, field.type) }]),
    ),
  ]),
) as unknown as Record<DcuArrayName, ReadonlyMap<string, { kind: Kind; usual: unknown }>>; // as: entries of every name

function choiceIn(type: NumberType, values: Record<string, number>): Codec<string> {
  if (type === 'enum') return enumerated(values);
  const words = new Map(Object.entries(values).map(([word, number]) => [number, word]));
  const wordOf = (number: number, input: ByteReader) => words.get(number) ?? input.fail({ code: 'UNKNOWN_ENUM', value: number });
  return mapped(NUMBERS[type] as Codec<number>, wordOf, (word) => values[word] ?? 0); // as: all of them are codecs of numbers
}

function codecOf({ type, values }: FieldShape, kind: Kind | undefined): Codec<any> {
  // any: the entry type has the value of each known field.
  if (!isNumberType(type)) return OTHERS[type] ?? octetString;
  if (kind === 'choice') return choiceIn(type, values ?? {});
  const number: Codec<number> = NUMBERS[type];
  return kind === 'flag'
    ? mapped(
        number,
        (raw) => raw !== 0,
        (flag: boolean) => (flag ? 1 : 0),
      )
    : number;
}

/**
 * Codec of the entries of an array with this shape. Entries have all fields that the head-end knows, absent ones with their usual value,
 * and the DCU's own fields under their names. The shape must have no faults, see `faultsOf`.
 */
export function entryCodec<N extends DcuArrayName>(name: N, { fields }: ArrayShape): Codec<DcuEntry<N>> {
  const known = KNOWN_FIELDS[name];
  const onWire = structure(Object.fromEntries(fields.map((field) => [field.name, codecOf(field, known.get(field.name)?.kind)])));
  const present = new Set(fields.map((field) => field.name));
  const absent = Object.fromEntries([...known].filter(([field]) => !present.has(field)).map(([field, { usual }]) => [field, usual]));
  const own = Object.fromEntries(
    fields.filter((field) => !known.has(field.name)).map((field) => [field.name, EMPTY[kindOf(field.name, field.type)]]),
  );
  return {
    read: (input) => ({ ...absent, ...onWire.read(input) }) as DcuEntry<N>, // as: every known field is present or has its usual value
    write: (out, entry) => onWire.write(out, { ...own, ...entry }),
  };
}
