import { APDU_TAGS } from '../xdlms/apdu.ts';
import { CIPHERED_TAGS } from '../xdlms/ciphered.ts';

const CONFIRMED = 0x40;
/** Where the octet with the service class is: the short invoke id is the third octet, the long one begins with the second. */
const CLASS_AT = new Map<number, number>([
  [APDU_TAGS.getRequest, 2],
  [APDU_TAGS.setRequest, 2],
  [APDU_TAGS.actionRequest, 2],
  [APDU_TAGS.accessRequest, 1],
]);

/** A write by short name that is unconfirmed, plain or ciphered: its tag says so, whether or not the APDU can be deciphered. */
const UNCONFIRMED_WRITES: ReadonlySet<number> = new Set([
  APDU_TAGS.unconfirmedWriteRequest,
  CIPHERED_TAGS.gloUnconfirmedWriteRequest,
  CIPHERED_TAGS.dedUnconfirmedWriteRequest,
]);

/**
 * Whether a request is *unconfirmed*, so that a server executes it without a response: by the service class in a plain request, or by the
 * tag of an unconfirmed write.
 * @spec GB 9.3 (service class, UnconfirmedWrite service)
 */
export function isWithoutResponse(apdu: Uint8Array): boolean {
  if (UNCONFIRMED_WRITES.has(apdu[0] ?? 0)) return true;
  const at = CLASS_AT.get(apdu[0] ?? 0);
  return at !== undefined && at < apdu.length && ((apdu[at] ?? 0) & CONFIRMED) === 0;
}
