import { failed, type Outcome, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { AssociationError } from '@hes/dlms/association/association-error.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import type { ActionResult, DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import type { ExceptionResponse } from '@hes/dlms/xdlms/exception-response.ts';
import { ExchangeError } from './channel.ts';

const REASON_OF_ASSOCIATION: Record<string, ReasonCode> = {
  REFUSED: 'ASSOC_REFUSED',
  AUTH_FAILED: 'AUTH_FAILED',
  CHALLENGE_UNSUPPORTED: 'CHALLENGE_UNSUPPORTED',
  DECRYPT_FAILED: 'DECRYPT_FAILED',
  COUNTER_REPLAY: 'COUNTER_REPLAY',
  UNEXPECTED_ANSWER: 'BAD_ANSWER',
  BLOCK_ERROR: 'BLOCK_ERROR',
  TOO_LONG: 'ANSWER_TOO_LONG',
  WRONG_TITLE: 'IDENTITY_MISMATCH',
  NOT_GRANTED: 'ACCESS_DENIED',
};

const REASON_OF_RESULT: Record<Exclude<DataAccessResult, 'success'>, ReasonCode> = {
  hardwareFault: 'HARDWARE_FAULT',
  temporaryFailure: 'TEMPORARY_FAILURE',
  readWriteDenied: 'ACCESS_DENIED',
  objectUndefined: 'OBJECT_UNDEFINED',
  objectClassInconsistent: 'OBJECT_UNDEFINED',
  objectUnavailable: 'OBJECT_UNDEFINED',
  typeUnmatched: 'TYPE_MISMATCH',
  scopeOfAccessViolated: 'ACCESS_DENIED',
  dataBlockUnavailable: 'BLOCK_ERROR',
  longGetAborted: 'BLOCK_ERROR',
  noLongGetInProgress: 'BLOCK_ERROR',
  longSetAborted: 'BLOCK_ERROR',
  noLongSetInProgress: 'BLOCK_ERROR',
  dataBlockNumberInvalid: 'BLOCK_ERROR',
  otherReason: 'TEMPORARY_FAILURE',
};

/** Outcome of a refused attribute. */
export const failedResult = (result: DataAccessResult): { ok: false; reason: ReasonCode; detail?: string } =>
  result === 'success' ? failed('BAD_ANSWER', 'The error result is success') : failed(REASON_OF_RESULT[result], result);

/** Outcome of a refused method. */
export const failedAction = (result: ActionResult): { ok: false; reason: ReasonCode; detail?: string } =>
  result === 'success'
    ? failed('BAD_ANSWER', 'The error result is success')
    : failed(result === 'longActionAborted' || result === 'noLongActionInProgress' ? 'BLOCK_ERROR' : REASON_OF_RESULT[result], result);

function reasonOfException(exception: ExceptionResponse, connecting: boolean): ReasonCode {
  if (exception.serviceError === 'invocationCounterError') return 'COUNTER_REPLAY';
  if (exception.serviceError === 'decipheringError') return 'AUTH_FAILED';
  if (exception.stateError !== 'serviceNotAllowed') return 'BAD_ANSWER';
  // Within an association: the meter has lost it, so a new association is needed.
  if (!connecting) return 'LINK_LOST';
  // Before an association: the DCU has no such meter, or the meter refuses the client.
  return exception.serviceError === 'operationNotPossible' ? 'NOT_IN_ARCHIVE' : 'ASSOC_REFUSED';
}

/** Whether the device could not decipher a request or rejected its counter; the next request would fail likewise. */
export const isSecurityException = ({ exception }: AssociationError): boolean =>
  exception?.serviceError === 'decipheringError' || exception?.serviceError === 'invocationCounterError';

/** Outcome of a refused request that does not end the association. */
export function refusalOf({ code, detail, exception }: AssociationError): Outcome<never> {
  if (code === 'NOT_GRANTED') return failed('ACCESS_DENIED', detail);
  const isUnknown = exception?.stateError === 'serviceUnknown' && exception.serviceError === 'serviceNotSupported';
  return failed(isUnknown ? 'ACCESS_DENIED' : 'TEMPORARY_FAILURE', detail);
}

/** Outcome for an error of an exchange. Rethrows errors that are no failure of a device. */
export function outcomeOf(error: unknown, connecting: boolean): Outcome<never> {
  if (error instanceof ExchangeError) return failed(error.reason, error.message);
  // An APDU that is not authentic has its own reason, unlike the malformed ones of field/decoded.ts.
  if (error instanceof DecodeError) return failed(error.fault.code === 'NOT_AUTHENTIC' ? 'DECRYPT_FAILED' : 'BAD_ANSWER', error.message);
  if (error instanceof AssociationError) {
    const { exception } = error;
    if (exception !== undefined)
      return failed(reasonOfException(exception, connecting), `${exception.stateError}, ${exception.serviceError}`);
    return failed(REASON_OF_ASSOCIATION[error.code] ?? 'BAD_ANSWER', error.detail);
  }
  throw error;
}
