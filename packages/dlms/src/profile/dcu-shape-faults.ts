import {
  FIELD_TYPES,
  isChoice,
  isNumberType,
  KNOWN_FIELDS,
  TYPES_OF,
  type ArrayShape,
  type FieldShape,
  type NumberType,
} from './dcu-shapes.ts';
import { DCU_ARRAYS, DCU_ENUMS, DCU_SCRIPTS, type DcuArrayName } from './reference-dcu.ts';

/** Fields without which an array is of no use. Others may be absent: an entry then has their usual value. */
const REQUIRED: Record<DcuArrayName, readonly string[]> = {
  archive: ['serialNumber'],
  discovered: ['serialNumber'],
  topology: ['nodeId', 'mac', 'serialNumber', 'parentId'],
  tasks: ['taskId', 'start', 'periodSeconds', 'objects', 'depth'],
  modules: ['mac'],
};
/** Arrays to which the head-end writes: each word of a choice needs its number. */
const WRITTEN: readonly DcuArrayName[] = ['archive', 'tasks'];

/** Smallest and largest number of each type. */
const LIMITS: Record<NumberType, readonly [number, number]> = {
  enum: [0, 0xff],
  unsigned: [0, 0xff],
  'long-unsigned': [0, 0xffff],
  'double-long-unsigned': [0, 0xffff_ffff],
  integer: [-0x80, 0x7f],
  long: [-0x8000, 0x7fff],
  'double-long': [-0x8000_0000, 0x7fff_ffff],
};

/** Reason why a shape cannot be used. */
export type ShapeFault =
  | 'unknown_array'
  | 'unknown_script'
  | 'duplicate_id'
  | 'duplicate_field'
  | 'missing_field'
  | 'unknown_type'
  | 'wrong_type'
  | 'missing_value'
  | 'unknown_value'
  | 'duplicate_value'
  | 'value_too_large';

/** A fault, and where it is: `archive.phase`. */
export interface ShapeComplaint {
  fault: ShapeFault;
  at: string;
  /** The word, type or id in question. */
  detail: string;
}

/** Shapes as a file has them, before they were checked. */
export interface UncheckedShapes {
  arrays: Readonly<Record<string, ArrayShape>>;
  scripts: Readonly<Record<string, number>>;
}

/** Finds what is wrong with shapes. An empty result means that they are `DcuShapes`. */
export function faultsOf({ arrays, scripts }: UncheckedShapes): ShapeComplaint[] {
  const ids = Object.entries(arrays).map(([name, { id }]) => ({ name, id }));
  return [
    ...Object.keys(scripts)
      .filter((name) => !Object.hasOwn(DCU_SCRIPTS, name))
      .map((name) => ({ fault: 'unknown_script' as const, at: 'scripts', detail: name })),
    ...ids
      .filter(({ id }, index) => ids.findIndex((other) => other.id === id) !== index)
      .map(({ name, id }) => ({ fault: 'duplicate_id' as const, at: name, detail: String(id) })),
    ...Object.entries(arrays).flatMap(([name, shape]) =>
      Object.hasOwn(DCU_ARRAYS, name)
        ? faultsOfArray(name as DcuArrayName, shape) // as: just looked up
        : [{ fault: 'unknown_array' as const, at: 'arrays', detail: name }],
    ),
  ];
}

function faultsOfArray(name: DcuArrayName, { fields }: ArrayShape): ShapeComplaint[] {
  const names = fields.map((field) => field.name);
  return [
    ...REQUIRED[name]
      .filter((field) => !names.includes(field))
      .map((field) => ({ fault: 'missing_field' as const, at: name, detail: field })),
    ...names
      .filter((field, index) => names.indexOf(field) !== index)
      .map((field) => ({ fault: 'duplicate_field' as const, at: name, detail: field })),
    ...fields.flatMap((field) => faultsOfField(name, field)),
  ];
}

function faultsOfField(array: DcuArrayName, { name, type, values = {} }: FieldShape): ShapeComplaint[] {
  const at = `${array}.${name}`;
  if (!FIELD_TYPES.includes(type)) return [{ fault: 'unknown_type', at, detail: type }];
  const known = KNOWN_FIELDS[array].get(name);
  if (known === undefined) return [];
  if (!TYPES_OF[known.kind].includes(type)) return [{ fault: 'wrong_type', at, detail: type }];
  if (!isChoice(name)) return [];
  const words = Object.keys(DCU_ENUMS[name]);
  const numbers = Object.values(values);
  const [least, most] = isNumberType(type) ? LIMITS[type] : [0, 0];
  return [
    ...Object.keys(values)
      .filter((word) => !words.includes(word))
      .map((word) => ({ fault: 'unknown_value' as const, at, detail: word })),
    ...(WRITTEN.includes(array) ? words : [])
      .filter((word) => !Object.hasOwn(values, word))
      .map((word) => ({ fault: 'missing_value' as const, at, detail: word })),
    ...numbers
      .filter((number, index) => numbers.indexOf(number) !== index)
      .map((number) => ({ fault: 'duplicate_value' as const, at, detail: String(number) })),
    ...numbers
      .filter((number) => number < least || number > most)
      .map((number) => ({ fault: 'value_too_large' as const, at, detail: String(number) })),
  ];
}
