import { enumeration, type Codec, type ValueOf } from '../codec/codec.ts';

/** Result of a read or a write. @spec GB 9.5 (Data-Access-Result) */
export const dataAccessResult = enumeration({
  success: 0,
  hardwareFault: 1,
  temporaryFailure: 2,
  readWriteDenied: 3,
  objectUndefined: 4,
  objectClassInconsistent: 9,
  objectUnavailable: 11,
  typeUnmatched: 12,
  scopeOfAccessViolated: 13,
  dataBlockUnavailable: 14,
  longGetAborted: 15,
  noLongGetInProgress: 16,
  longSetAborted: 17,
  noLongSetInProgress: 18,
  dataBlockNumberInvalid: 19,
  otherReason: 250,
});
export type DataAccessResult = ValueOf<typeof dataAccessResult>;

/** Result of a method. @spec GB 9.5 (Action-Result) */
export const actionResult = enumeration({
  success: 0,
  hardwareFault: 1,
  temporaryFailure: 2,
  readWriteDenied: 3,
  objectUndefined: 4,
  objectClassInconsistent: 9,
  objectUnavailable: 11,
  typeUnmatched: 12,
  scopeOfAccessViolated: 13,
  dataBlockUnavailable: 14,
  longActionAborted: 15,
  noLongActionInProgress: 16,
  otherReason: 250,
});
export type ActionResult = ValueOf<typeof actionResult>;

/** Octets, or the reason for their absence. */
export type DataResult = { ok: true; data: Uint8Array } | { ok: false; result: DataAccessResult };

/**
 * ```asn1
 * Get-Data-Result ::= CHOICE { data [0] Data, data-access-result [1] IMPLICIT Data-Access-Result }
 * ```
 * The data part may also be a raw block, so the caller provides its codec.
 * @spec GB 9.5
 */
export const dataResult = (data: Codec<Uint8Array>): Codec<DataResult> => ({
  read: (input) => {
    const tag = input.uint8();
    if (tag === 0) return { ok: true, data: input.field('data', () => data.read(input)) };
    if (tag === 1) return { ok: false, result: input.field('result', () => dataAccessResult.read(input)) };
    return input.fail({ code: 'UNKNOWN_TAG', tag }, input.offset - 1);
  },
  write: (out, value) => {
    out.uint8(value.ok ? 0 : 1);
    if (value.ok) data.write(out, value.data);
    else dataAccessResult.write(out, value.result);
  },
});
