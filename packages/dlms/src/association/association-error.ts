import type { ExceptionResponse } from '../xdlms/exception-response.ts';

export type AssociationErrorCode =
  /** The peer rejected the association. */
  | 'REFUSED'
  /** Client or server failed authentication. */
  | 'AUTH_FAILED'
  /** Not protected with our keys, or with less protection than was negotiated. */
  | 'DECRYPT_FAILED'
  | 'COUNTER_REPLAY'
  /** Mechanism 2 has no common algorithm for the challenge of the server, which was not answered. */
  | 'CHALLENGE_UNSUPPORTED'
  /**
   * An EXCEPTION-RESPONSE or ConfirmedServiceError. It is never protected, so it is a hint only. An open association stays open: only this
   * request is refused.
   */
  | 'EXCEPTION'
  /** Not sent, because the negotiated conformance does not include the service. The association stays open. */
  | 'NOT_GRANTED'
  | 'UNEXPECTED_ANSWER'
  | 'BLOCK_ERROR'
  /** The response exceeds the limit of octets or blocks. */
  | 'TOO_LONG'
  /** The system title differs from the pinned one. */
  | 'WRONG_TITLE';

/** Failures that a wrong key and an attack cause alike. */
export type SecurityFailure = Extract<AssociationErrorCode, 'AUTH_FAILED' | 'DECRYPT_FAILED' | 'COUNTER_REPLAY' | 'WRONG_TITLE'>;

const SECURITY_FAILURES: ReadonlySet<string> = new Set<SecurityFailure>(['AUTH_FAILED', 'DECRYPT_FAILED', 'COUNTER_REPLAY', 'WRONG_TITLE']);

/** The code of a security failure; undefined for all other errors. */
export const securityFailureOf = (error: unknown): SecurityFailure | undefined =>
  error instanceof AssociationError && SECURITY_FAILURES.has(error.code) ? (error.code as SecurityFailure) : undefined; // as: one of the set

/** Whether the error refuses one request only and leaves the association usable. */
export const isRefusedRequest = (error: unknown): error is AssociationError =>
  error instanceof AssociationError && (error.code === 'EXCEPTION' || error.code === 'NOT_GRANTED');

/** Ends an exchange before its result. */
export class AssociationError extends Error {
  readonly code: AssociationErrorCode;
  readonly detail: string;
  /** The decoded EXCEPTION-RESPONSE, for the code `EXCEPTION`. */
  readonly exception: ExceptionResponse | undefined;

  constructor(code: AssociationErrorCode, detail: string, options: { cause?: unknown; exception?: ExceptionResponse | undefined } = {}) {
    super(`${code}: ${detail}`, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'AssociationError';
    this.code = code;
    this.detail = detail;
    this.exception = options.exception;
  }
}
