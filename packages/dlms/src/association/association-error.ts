import type { ExceptionResponse } from '../xdlms/exception-response.ts';

export type AssociationErrorCode =
  /** The peer does not want the association. */
  | 'REFUSED'
  /** One of the sides could not prove who it is. */
  | 'AUTH_FAILED'
  /** Not protected with our keys, or less than was agreed. */
  | 'DECRYPT_FAILED'
  | 'COUNTER_REPLAY'
  /** The peer answered with an error outside of the service. Never protected, so it is a hint and no proof. */
  | 'EXCEPTION'
  | 'UNEXPECTED_ANSWER'
  | 'BLOCK_ERROR'
  /** Another device than the pinned one. */
  | 'WRONG_TITLE';

/** Why an exchange ended early. */
export class AssociationError extends Error {
  readonly code: AssociationErrorCode;
  readonly detail: string;
  /** With `EXCEPTION`, when the peer said it so. */
  readonly exception: ExceptionResponse | undefined;

  constructor(code: AssociationErrorCode, detail: string, options: { cause?: unknown; exception?: ExceptionResponse | undefined } = {}) {
    super(`${code}: ${detail}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AssociationError';
    this.code = code;
    this.detail = detail;
    this.exception = options.exception;
  }
}
