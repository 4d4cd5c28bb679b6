import type { ServerObject } from '@hes/dlms/association/server-options.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import type { DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { exceptionResponse } from '@hes/dlms/xdlms/exception-response.ts';
import type { Faults } from '#control/faults.ts';

export const UNAVAILABLE = encode(exceptionResponse, { stateError: 'serviceUnknown', serviceError: 'operationNotPossible' });

const DENIALS: readonly DataAccessResult[] = [
  'temporaryFailure',
  'hardwareFault',
  'readWriteDenied',
  'objectUndefined',
  'objectUnavailable',
  'scopeOfAccessViolated',
  'dataBlockUnavailable',
  'otherReason',
];
let denials = 0;

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const IN_2099_MS = 73 * YEAR_MS;
/** Time stamps of a wrong clock; NaN: an unspecified date-time. */
const WRONG_CLOCKS: readonly ((at: number) => number)[] = [
  (at) => at + 2 * HOUR_MS,
  (at) => at - YEAR_MS,
  (at) => at + IN_2099_MS,
  () => Number.NaN,
];
let wrongClocks = 0;

/** Time stamps of one response; undefined: correct ones. */
export const wrongStampsOf = (faults: Faults, sn: string): ((at: number) => number) | undefined =>
  faults.strike(sn, 'wrong_stamps') ? WRONG_CLOCKS[wrongClocks++ % WRONG_CLOCKS.length] : undefined;

/** The object itself, or one that denies every read. */
export function denyReads(faults: Faults, sn: string, object: ServerObject): ServerObject {
  if (!faults.strike(sn, 'deny')) return object;
  const { classId, version, instance } = object;
  return { classId, version, instance, read: () => DENIALS[denials++ % DENIALS.length] ?? 'otherReason' };
}

const REGISTER = 3;
const PROFILE = 7;
const VALUE_OR_BUFFER = 2;
const CAPTURE_OBJECTS = 3;
/** More than any head-end should accept. */
const ENDLESS_OCTETS = 32 * 1024 * 1024;
let endlessOctets: Uint8Array | undefined;

/** The object itself, or one whose value never ends. */
export function serveEndlessValue(faults: Faults, sn: string, object: ServerObject): ServerObject {
  const { classId, version, instance } = object;
  if ((classId !== REGISTER && classId !== PROFILE) || !faults.has(sn, 'endless_blocks')) return object;
  const read: ServerObject['read'] = (attributeId, selection) => {
    if (attributeId !== VALUE_OR_BUFFER) return object.read(attributeId, selection);
    faults.struck(sn, 'endless_blocks');
    return (endlessOctets ??= new Uint8Array(ENDLESS_OCTETS));
  };
  return { classId, version, instance, read };
}

const ALTERING = ['other_period', 'other_layout', 'other_scaler', 'full_register'] as const;
const QUARTER_MS = HOUR_MS / 4;

/** The object itself, with counting of every read that an alteration of the meter affects. */
export function countAlteredReads(faults: Faults, sn: string, object: ServerObject): ServerObject {
  const { classId } = object;
  if (classId !== REGISTER && classId !== PROFILE) return object;
  const kinds = ALTERING.filter((kind) => faults.has(sn, kind));
  const isRolling = classId === PROFILE && faults.has(sn, 'rollover');
  if (kinds.length === 0 && !isRolling) return object;
  const read: ServerObject['read'] = (attributeId, selection) => {
    const value = object.read(attributeId, selection);
    // `skip` delays the change until the capture lists have been read that many times.
    for (const kind of kinds)
      if ((faults.of(sn, kind)?.skip ?? 0) === 0) faults.struck(sn, kind);
      else if (classId === PROFILE && attributeId === CAPTURE_OBJECTS) faults.strike(sn, kind);
    const rolled = isRolling && attributeId === VALUE_OR_BUFFER ? faults.strike(sn, 'rollover') : undefined;
    if (rolled?.at !== undefined) rolled.at += QUARTER_MS;
    return value;
  };
  return { ...object, read };
}

const GET_RESPONSE = 0xc4;
const WITH_BLOCK = 0x02;
/** Offsets in a GET response: the invoke-id, the last-block flag, and the last octet of the block number. */
const INVOKE_ID = 2;
const IS_LAST = 3;
const NUMBER = 7;
const INVOKE_ID_MASK = 0x0f;
const isGetResponse = (apdu: Uint8Array): boolean => apdu[0] === GET_RESPONSE;
/** Whether an APDU is a block of a GET response. */
export const isBlock = (apdu: Uint8Array | undefined): boolean => apdu?.[0] === GET_RESPONSE && apdu[1] === WITH_BLOCK;

function withOctet(apdu: Uint8Array, at: number, change: (octet: number) => number): Uint8Array {
  const changed = apdu.slice();
  changed[at] = change(changed[at] ?? 0);
  return changed;
}

/** A GET response with a wrong header. Ciphered responses stay unchanged: their headers are authenticated. */
function corruptHeader(faults: Faults, sn: string, answer: Uint8Array, earlier: Uint8Array | undefined): Uint8Array | undefined {
  if (!isGetResponse(answer)) return undefined;
  if (faults.strike(sn, 'stale_invoke'))
    return withOctet(answer, INVOKE_ID, (octet) => (octet & ~INVOKE_ID_MASK) | ((octet + INVOKE_ID_MASK) & INVOKE_ID_MASK));
  if (!isBlock(answer)) return undefined;
  if (isBlock(earlier) && faults.strike(sn, 'same_block')) return earlier;
  if (faults.strike(sn, 'wrong_block')) return withOctet(answer, NUMBER, (octet) => octet + 1);
  return answer[IS_LAST] !== 0 && faults.strike(sn, 'no_last_block') ? withOctet(answer, IS_LAST, () => 0) : undefined;
}

/** A response as it arrives with the active faults of meter and line. */
export function corruptResponse(faults: Faults, sn: string, answer: Uint8Array, earlier: Uint8Array | undefined): Uint8Array {
  const other = corruptHeader(faults, sn, answer, earlier);
  if (other !== undefined) return other;
  if (earlier !== undefined && faults.strike(sn, 'replay')) return earlier;
  if (!faults.strike(sn, 'bit_flip')) return answer;
  const flipped = answer.slice();
  const at = Math.floor(flipped.length / 2);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return flipped;
}
