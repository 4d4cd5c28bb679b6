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
/** What a clock that is wrong makes of a moment; NaN: a date-time that says nothing. */
const WRONG_CLOCKS: readonly ((at: number) => number)[] = [
  (at) => at + 2 * HOUR_MS,
  (at) => at - YEAR_MS,
  (at) => at + IN_2099_MS,
  () => Number.NaN,
];
let wrongClocks = 0;

/** How the rows of one answer are stamped; undefined: as they should be. */
export const stampsOf = (faults: Faults, sn: string): ((at: number) => number) | undefined =>
  faults.strike(sn, 'wrong_stamps') ? WRONG_CLOCKS[wrongClocks++ % WRONG_CLOCKS.length] : undefined;

/** The object as the meter offers it, or one that gives nothing. */
export function denied(faults: Faults, sn: string, object: ServerObject): ServerObject {
  if (!faults.strike(sn, 'deny')) return object;
  const { classId, version, instance } = object;
  return { classId, version, instance, read: () => DENIALS[denials++ % DENIALS.length] ?? 'otherReason' };
}

const REGISTER = 3;
const PROFILE = 7;
const VALUE_OR_BUFFER = 2;
/** More than any head-end should take. */
const ENDLESS_OCTETS = 32 * 1024 * 1024;
let endlessOctets: Uint8Array | undefined;

/** The object as the meter offers it, or one whose value has no end. */
export function endless(faults: Faults, sn: string, object: ServerObject): ServerObject {
  const { classId, version, instance } = object;
  if ((classId !== REGISTER && classId !== PROFILE) || !faults.has(sn, 'endless_blocks')) return object;
  const read: ServerObject['read'] = (attributeId, selection) =>
    attributeId === VALUE_OR_BUFFER ? (endlessOctets ??= new Uint8Array(ENDLESS_OCTETS)) : object.read(attributeId, selection);
  return { classId, version, instance, read };
}

/** An answer as it arrives when the meter or the line is at fault. */
export function spoiled(faults: Faults, sn: string, answer: Uint8Array, earlier: Uint8Array | undefined): Uint8Array {
  if (earlier !== undefined && faults.strike(sn, 'replay')) return earlier;
  if (!faults.strike(sn, 'bit_flip')) return answer;
  const flipped = answer.slice();
  const at = Math.floor(flipped.length / 2);
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return flipped;
}
