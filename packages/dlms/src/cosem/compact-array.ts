import type { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Codec } from '../codec/codec.ts';
import type { Data } from './data.ts';
import { SCALAR_BY_TAG, SCALARS, TAG, type ScalarType } from './data-scalars.ts';

/** The type that all elements of a compact array share. */
export type TypeDescription =
  | { type: 'array'; count: number; element: TypeDescription }
  | { type: 'structure'; elements: TypeDescription[] }
  | { type: ScalarType | 'null' | 'dontCare' };

/**
 * Values that take no octets (null-data) let a short message describe an endless one. Real profiles stay below 2 values
 * per octet of contents.
 */
const MAX_VALUES_PER_OCTET = 16;

function readDescription(input: ByteReader): TypeDescription {
  const tag = input.uint8();
  const scalar = SCALAR_BY_TAG[tag];
  if (scalar !== undefined) return { type: scalar.type };
  if (tag === TAG.null) return { type: 'null' };
  if (tag === TAG.dontCare) return { type: 'dontCare' };
  if (tag === TAG.array) {
    const count = input.uint16();
    return { type: 'array', count, element: input.nested(() => readDescription(input)) };
  }
  if (tag === TAG.structure) {
    const count = input.count();
    return { type: 'structure', elements: input.nested(() => Array.from({ length: count }, () => readDescription(input))) };
  }
  return input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
}

function readElement(input: ByteReader, description: TypeDescription, budget: { values: number }): Data {
  if (--budget.values < 0) input.fail({ code: 'BAD_VALUE', reason: `more than ${MAX_VALUES_PER_OCTET} values per octet` });
  switch (description.type) {
    case 'null':
    case 'dontCare':
      return { type: description.type };
    case 'array': {
      const value: Data[] = [];
      for (let i = 0; i < description.count; i++) value.push(input.field(i, () => readElement(input, description.element, budget)));
      return { type: 'array', value };
    }
    case 'structure':
      return {
        type: 'structure',
        value: description.elements.map((element, i) => input.field(i, () => readElement(input, element, budget))),
      };
    default:
      return { type: description.type, value: SCALARS[description.type].body.read(input) } as Data; // as: the table pairs type and value
  }
}

/**
 * ```asn1
 * compact-array ::= SEQUENCE {
 *   contents-description [0] TypeDescription,    -- tags; array: Unsigned16 count and element; structure: SEQUENCE OF
 *   array-contents       [1] IMPLICIT OCTET STRING }
 * ```
 * The contents are values without tags, repeated to the end; a remainder is an error.
 * @spec GB 9.5 (Data, TypeDescription)
 */
export function readCompactArray(input: ByteReader): { value: Data[]; description: TypeDescription } {
  const description = input.field('description', () => readDescription(input));
  const contents = input.slice(input.length());
  const budget = { values: MAX_VALUES_PER_OCTET * contents.left };
  const value: Data[] = [];
  input.nested(() => {
    while (contents.left > 0) {
      const from = contents.offset;
      value.push(contents.field(value.length, () => readElement(contents, description, budget)));
      if (contents.offset === from) contents.fail({ code: 'BAD_VALUE', reason: 'contents of a type without octets' });
    }
  });
  return { value, description };
}

function writeDescription(out: ByteWriter, description: TypeDescription): void {
  switch (description.type) {
    case 'array':
      out.uint8(TAG.array);
      out.uint16(description.count);
      return writeDescription(out, description.element);
    case 'structure':
      out.uint8(TAG.structure);
      out.length(description.elements.length);
      for (const element of description.elements) writeDescription(out, element);
      return;
    case 'null':
    case 'dontCare':
      return out.uint8(TAG[description.type]);
    default:
      return out.uint8(SCALARS[description.type].tag);
  }
}

function writeElement(out: ByteWriter, description: TypeDescription, data: Data): void {
  if (data.type !== description.type) throw new RangeError(`${data.type} in a compact array of ${description.type}`);
  if (data.type === 'null' || data.type === 'dontCare') return;
  if (data.type !== 'array' && data.type !== 'structure') return (SCALARS[data.type].body as Codec<unknown>).write(out, data.value); // as: the table pairs type and value
  const types = elementTypes(description);
  if (data.value.length !== types.length) throw new RangeError(`${data.value.length} elements instead of ${types.length}`);
  for (const [i, type] of types.entries()) writeElement(out, type, data.value[i] ?? { type: 'null' });
}

function elementTypes(description: TypeDescription): TypeDescription[] {
  if (description.type === 'array') return Array.from({ length: description.count }, () => description.element);
  return description.type === 'structure' ? description.elements : [];
}

/** Writes description and contents. Throws a `RangeError` if a value is not of the described type. */
export function writeCompactArray(out: ByteWriter, description: TypeDescription, value: Data[]): void {
  writeDescription(out, description);
  const contents = new ByteWriter();
  for (const element of value) writeElement(contents, description, element);
  out.length(contents.size);
  out.bytes(contents.finish());
}
