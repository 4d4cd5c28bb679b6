import type { ExceptionResponse } from '../xdlms/exception-response.ts';

/** Maps to an EXCEPTION-RESPONSE. */
export class Refusal extends Error {
  readonly exception: ExceptionResponse;
  constructor(exception: ExceptionResponse) {
    super(exception.serviceError);
    this.exception = exception;
  }
}

export const NOT_ASSOCIATED = new Refusal({ stateError: 'serviceNotAllowed', serviceError: 'serviceNotSupported' });
export const NOT_ALLOWED = new Refusal({ stateError: 'serviceNotAllowed', serviceError: 'operationNotPossible' });
export const NOT_SUPPORTED = new Refusal({ stateError: 'serviceUnknown', serviceError: 'serviceNotSupported' });
export const TOO_LONG: ExceptionResponse = { stateError: 'serviceUnknown', serviceError: 'pduTooLong' };
export const NOT_DECIPHERED = new Refusal({ stateError: 'serviceUnknown', serviceError: 'decipheringError' });
