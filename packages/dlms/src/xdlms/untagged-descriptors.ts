import { ByteReader } from '../codec/byte-reader.ts';
import { encode } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { captureObject } from '../cosem/capture-object.ts';
import { rawData } from '../cosem/data.ts';
import { TAG } from '../cosem/data-scalars.ts';
import { joinOctets } from '../security/cipher.ts';
import { attributeDescriptor } from './descriptors.ts';
import { longInvokeIdAndPriority } from './invoke.ts';
import { optionalDateTime } from './optional-date-time.ts';

const DATA_NOTIFICATION = 0x0f;
/** An attribute descriptor without tags, and the smallest value. */
const SMALLEST_ENTRY = 2 + 9 + 1;
const PAIR = 2;

/**
 * Meters of Czech utilities (Sagemcom XT211, the specification of EGD) push pairs of attribute and value, and write the attribute descriptor
 * without the tags of Data: `structure { enum, array { structure { class-id, logical-name, attribute-id, Data } } }`. Returns the
 * notification with capture objects in their place, which is Data; undefined for any other APDU, broken ones included.
 * @spec GB 9.3 (DATA-NOTIFICATION), from which this form deviates
 */
export function tagDescriptors(apdu: Uint8Array): Uint8Array | undefined {
  if (apdu[0] !== DATA_NOTIFICATION) return undefined;
  const input = new ByteReader(apdu);
  try {
    return joinOctets(taggedParts(input, apdu));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

function taggedParts(input: ByteReader, apdu: Uint8Array): Uint8Array[] {
  input.expect(DATA_NOTIFICATION);
  longInvokeIdAndPriority.read(input);
  optionalDateTime.read(input);
  expectPair(input);
  rawData.read(input);
  input.expect(TAG.array);
  const count = input.count(SMALLEST_ENTRY);
  const parts = [apdu.subarray(0, input.offset)];
  for (let left = count; left > 0; left--) {
    expectPair(input);
    const column = encode(captureObject, { ...attributeDescriptor.read(input), dataIndex: 0 });
    parts.push(Uint8Array.of(TAG.structure, PAIR), column, rawData.read(input));
  }
  input.done();
  return parts;
}

function expectPair(input: ByteReader): void {
  input.expect(TAG.structure);
  input.expect(PAIR);
}
