import { APDU_TAGS } from '../xdlms/apdu.ts';

const CONFIRMED = 0x40;
/** Where the octet with the service class is: the short invoke id is the third octet, the long one begins with the second. */
const CLASS_AT = new Map<number, number>([
  [APDU_TAGS.getRequest, 2],
  [APDU_TAGS.setRequest, 2],
  [APDU_TAGS.actionRequest, 2],
  [APDU_TAGS.accessRequest, 1],
]);

/** Whether the service class of a plain request is *unconfirmed*, so that a server executes it without a response. @spec GB 9.3 (service class) */
export function isWithoutResponse(apdu: Uint8Array): boolean {
  const at = CLASS_AT.get(apdu[0] ?? 0);
  return at !== undefined && at < apdu.length && ((apdu[at] ?? 0) & CONFIRMED) === 0;
}
