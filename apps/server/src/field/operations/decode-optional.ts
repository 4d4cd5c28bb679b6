import type { Outcome } from '@hes/contract/core/outcome.ts';
import { decode, type Codec } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';

/** Decodes an optional value; null: the device lacks it, refuses it, or returns another type. */
export function decodeOptional<T>(read: Outcome<Uint8Array> | undefined, codec: Codec<T>): T | null {
  if (read?.ok !== true) return null;
  try {
    return decode(codec, read.value);
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}
