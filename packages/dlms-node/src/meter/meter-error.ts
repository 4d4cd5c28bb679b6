import { AssociationError, type AssociationErrorCode } from '@hes/dlms/association/association-error.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { ModeEError } from '@hes/dlms/framing/mode-e/opening.ts';
import type { ActionResult, DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { SessionError } from '../session-error.ts';

export type MeterErrorCode =
  | SessionError['code']
  | AssociationErrorCode
  /** The meter answered a request with a result other than success; see `result`. */
  | 'DENIED'
  /** An answer cannot be decoded, or is no value of the expected kind. */
  | 'BAD_ANSWER'
  /** The association has ended with an earlier error. */
  | 'ENDED'
  /** The invocation counter cannot be read from the meter. */
  | 'NO_COUNTER'
  /** The options or arguments contradict each other or the meter. */
  | 'USAGE';

const NEW_METER = 'connect again';

/** The next step for the reader of an error. */
const ADVICE: Readonly<Record<MeterErrorCode, string>> = {
  NOT_REACHABLE: 'check host and port, or the optical head, and whether the meter is powered and on this network',
  NO_ANSWER: 'check client, server and framing (wrapper or hdlc), or raise timeoutMs',
  CLOSED: `${NEW_METER}; many meters hang up on a wrong key, a used counter, or a second connection`,
  REFUSED: 'check client and mechanism: the meter knows no such association',
  AUTH_FAILED: 'check password or keys, and the client they belong to',
  CHALLENGE_UNSUPPORTED: 'use another mechanism: makers disagree about mechanism 2 for challenges that are not 16 octets long',
  DECRYPT_FAILED: 'check the keys (encryption and authentication key may be swapped) and the security suite',
  COUNTER_REPLAY: 'the invocation counter was used before: give a higher one by nextCounter',
  EXCEPTION: 'the meter refuses this request; the association is still open',
  NOT_GRANTED: 'the meter does not grant this service to this client; the association is still open',
  UNEXPECTED_ANSWER: `${NEW_METER}; if it happens again, the meter deviates from the standard`,
  BLOCK_ERROR: `${NEW_METER}; a smaller maxPduSize or another range may help`,
  TOO_LONG: 'read a smaller range',
  WRONG_TITLE: 'another meter answers at this address, or meterTitle is wrong',
  DENIED: 'see result; the object list (objects) tells what this client may do',
  BAD_ANSWER: 'read the attribute raw with association.get, and compare it with the class that the meter declares',
  ENDED: NEW_METER,
  NO_COUNTER: 'give nextCounter, or counterObject if this meter keeps its counter elsewhere',
  USAGE: 'see the documentation of the option',
};

interface MeterErrorOptions {
  cause?: unknown;
  result?: DataAccessResult | ActionResult;
}

/** Any failure of a meter. `code` is stable, `advice` says what to do; the original error is its `cause`. */
export class MeterError extends Error {
  readonly code: MeterErrorCode;
  readonly advice: string;
  /** The result of the meter, for the code `DENIED`. */
  readonly result: DataAccessResult | ActionResult | undefined;

  constructor(code: MeterErrorCode, what: string, { cause, result }: MeterErrorOptions = {}) {
    super(`${what}. Advice: ${ADVICE[code]}`, { cause });
    this.name = 'MeterError';
    this.code = code;
    this.advice = ADVICE[code];
    this.result = result;
  }
}

/** Translates an error of the layers below. Errors of programming stay as they are. */
export function meterErrorOf(error: unknown, subject: string): unknown {
  if (error instanceof AssociationError) return new MeterError(error.code, `${subject}: ${error.message}`, { cause: error });
  if (error instanceof SessionError) return new MeterError(error.code, `${subject}: ${error.message}`, { cause: error });
  if (error instanceof ModeEError) return new MeterError('NOT_REACHABLE', `${subject}: ${error.message}`, { cause: error });
  if (error instanceof DecodeError) return new MeterError('BAD_ANSWER', `${subject}: ${error.message}`, { cause: error });
  return error;
}

/** Runs `use`; its failures name the subject and say what to do. */
export async function explaining<T>(subject: string, use: () => Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    throw meterErrorOf(error, subject);
  }
}

export const denied = (subject: string, result: DataAccessResult | ActionResult): MeterError =>
  new MeterError('DENIED', `${subject}: ${result}`, { result });
