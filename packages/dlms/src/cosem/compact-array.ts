import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { Codec } from '../codec/codec.ts';
import type { Data, TypeDescription } from './data-value.ts';
import { SCALAR_BY_TAG, SCALARS, entryOf, TAG } from './data-scalars.ts';
import { DEFERRED_FROM, withDeferredItems } from './deferred-items.ts';
import { DONT_CARE, NULL, readScalar } from './shared-scalars.ts';

/** Values without octets (null-data) let a short message expand without limit. Real profiles stay below 2 values per octet of contents. */
const MAX_VALUES_PER_OCTET = 16;

/** Maximum types in one description; the widest profiles have a hundred columns. */
const MAX_TYPES = 1024;

function readDescription(input: ByteReader, budget = { types: MAX_TYPES }): TypeDescription {
  if (--budget.types < 0) input.fail({ code: 'BAD_VALUE', reason: `more than ${MAX_TYPES} types` });
  const tag = input.uint8();
  const scalar = SCALAR_BY_TAG[tag];
  if (scalar !== undefined) return { type: scalar.type };
  if (tag === TAG.null) return { type: 'null' };
  if (tag === TAG.dontCare) return { type: 'dontCare' };
  if (tag === TAG.array) {
    const count = input.uint16();
    return { type: 'array', count, element: input.nested(() => readDescription(input, budget)) };
  }
  if (tag === TAG.structure) {
    const count = input.count();
    return { type: 'structure', elements: input.nested(() => Array.from({ length: count }, () => readDescription(input, budget))) };
  }
  return input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
}

/** Decoder state: remaining value budget, and whether values are kept or only checked. */
interface Walk {
  budget: number;
  keep: boolean;
}

function readElement(input: ByteReader, description: TypeDescription, walk: Walk): Data {
  if (--walk.budget < 0) input.fail({ code: 'BAD_VALUE', reason: `more than ${MAX_VALUES_PER_OCTET} values per octet` });
  if (description.type === 'null') return NULL;
  if (description.type === 'dontCare') return DONT_CARE;
  if (description.type !== 'array' && description.type !== 'structure') {
    if (walk.keep) return readScalar(input, entryOf(description.type));
    SCALARS[description.type].skip(input);
    return NULL;
  }
  const items: Data[] = [];
  const keep = walk.keep ? items : undefined;
  if (description.type === 'array') {
    const { element, count } = description;
    input.each(count, () => readElement(input, element, walk), keep);
  } else {
    const elements = description.elements.values();
    input.each(description.elements.length, () => readElement(input, elements.next().value ?? description, walk), keep);
  }
  return { type: description.type, value: items };
}

function readElements(contents: ByteReader, description: TypeDescription, keep: boolean): Data[] {
  const walk = { budget: MAX_VALUES_PER_OCTET * contents.left, keep };
  const elements: Data[] = [];
  for (let i = 0; contents.left > 0; i++) {
    const from = contents.offset;
    const element = contents.field(i, () => readElement(contents, description, walk));
    if (keep) elements.push(element);
    if (contents.offset === from) contents.fail({ code: 'BAD_VALUE', reason: 'contents of a type without octets' });
  }
  return elements;
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
export function readCompactArray(input: ByteReader): Extract<Data, { type: 'compactArray' }> {
  const description = input.field('description', () => readDescription(input));
  const size = input.length();
  const from = input.offset;
  const isLarge = size >= DEFERRED_FROM && input.listener === undefined;
  const value = readContents(input, { size, description, keep: !isLarge });
  if (!isLarge) return { type: 'compactArray', value, description };
  const later = () => readElements(new ByteReader(input.octets, from, from + size), description, true);
  return withDeferredItems({ type: 'compactArray' as const, description }, later);
}

function readContents(
  input: ByteReader,
  { size, description, keep }: { size: number; description: TypeDescription; keep: boolean },
): Data[] {
  return input.nested(() => input.within(size, () => readElements(input, description, keep)));
}

/** Validates description and contents without building values. */
export function skipCompactArray(input: ByteReader): void {
  const description = input.field('description', () => readDescription(input));
  readContents(input, { size: input.length(), description, keep: false });
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

/** Encodes description and contents. Throws `RangeError` when a value does not have the described type. */
export function writeCompactArray(out: ByteWriter, description: TypeDescription, value: Data[]): void {
  writeDescription(out, description);
  const contents = new ByteWriter();
  for (const element of value) writeElement(contents, description, element);
  out.length(contents.size);
  out.bytes(contents.finish());
}
