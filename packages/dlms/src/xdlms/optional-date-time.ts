import type { Codec } from '../codec/codec.ts';
import { DATE_TIME_SIZE, dateTimeCodec, type CosemDateTime } from '../cosem/date-time.ts';

const OCTET_STRING_TAG = 0x09;

/**
 * ```asn1
 * date-time OCTET STRING   -- of 0 or 12 octets
 * ```
 * Kaifa meters write it as Data (`09 0C …`); the tag in the length's place is dropped.
 * @spec GB 9.5
 */
export const optionalDateTime: Codec<CosemDateTime | undefined> = {
  read: (input) => {
    let length = input.length();
    if (length === OCTET_STRING_TAG && input.left > 0 && input.peek() === DATE_TIME_SIZE) length = input.length();
    if (length === 0) return undefined;
    if (length !== DATE_TIME_SIZE) input.fail({ code: 'BAD_LENGTH', length });
    return dateTimeCodec.read(input);
  },
  write: (out, value) => {
    out.length(value === undefined ? 0 : DATE_TIME_SIZE);
    if (value !== undefined) dateTimeCodec.write(out, value);
  },
};
