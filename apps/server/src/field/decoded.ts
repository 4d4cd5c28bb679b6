import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { decode, type Codec } from '@hes/dlms/codec/codec.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';

/** Runs a decoder. Malformed octets are an outcome, BAD_ANSWER, whose detail names the fault and its offset. */
export function decodedBy<T>(decoder: () => T): Outcome<T> {
  try {
    return ok(decoder());
  } catch (error) {
    if (error instanceof DecodeError) return failed('BAD_ANSWER', error.message);
    throw error;
  }
}

/** Decodes one value; BAD_ANSWER for octets of another type. */
export const decoded = <T>(codec: Codec<T>, octets: Uint8Array): Outcome<T> => decodedBy(() => decode(codec, octets));

/** Decodes the data of a response. A failed response keeps its reason; one without data fails with BAD_ANSWER. */
export function decodedAnswer<T>(codec: Codec<T>, answer: Outcome<Uint8Array | undefined> | undefined): Outcome<T> {
  if (answer?.ok === false) return answer;
  return answer?.value === undefined ? failed('BAD_ANSWER', 'The response holds no data') : decoded(codec, answer.value);
}

/** The value; null: the device lacks it, refuses it, or returned another type. */
export const valueOrNull = <T>(outcome: Outcome<T>): T | null => (outcome.ok ? outcome.value : null);
