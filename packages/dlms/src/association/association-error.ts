import type { ExceptionResponse } from '../xdlms/exception-response.ts';

export type AssociationErrorCode =
  /** The peer does not want the association. */
  | 'REFUSED'
  /** One of the sides could not prove who it is. */
  | 'AUTH_FAILED'
  /** Not protected with our keys, or less than was agreed. */
  | 'DECRYPT_FAILED'
  | 'COUNTER_REPLAY'
  /**
   * The peer answered with an error outside of the service. Never protected, so it is a hint and no proof. An open association stays
   * open: only this request is refused.
   */
  | 'EXCEPTION'
  /** Not sent, because the negotiated conformance does not grant it. The association stays open. */
  | 'NOT_GRANTED'
  | 'UNEXPECTED_ANSWER'
  | 'BLOCK_ERROR'
  /** More octets, blocks or time than an answer may take. */
  | 'TOO_LONG'
  /** Another device than the pinned one. */
  | 'WRONG_TITLE';

/** Failures that an attacker causes as well as a lost key does. */
export type SecurityFailure = Extract<AssociationErrorCode, 'AUTH_FAILED' | 'DECRYPT_FAILED' | 'COUNTER_REPLAY' | 'WRONG_TITLE'>;

const SECURITY_FAILURES: ReadonlySet<string> = new Set<SecurityFailure>(['AUTH_FAILED', 'DECRYPT_FAILED', 'COUNTER_REPLAY', 'WRONG_TITLE']);

/** The code of a failed verification; undefined for every other failure. */
export const securityFailureOf = (error: unknown): SecurityFailure | undefined =>
  error instanceof AssociationError && SECURITY_FAILURES.has(error.code) ? (error.code as SecurityFailure) : undefined; // as: one of the set

/** Whether an error refuses one request only, so that an open association is still of use. */
export const isRefusedRequest = (error: unknown): error is AssociationError =>
  error instanceof AssociationError && (error.code === 'EXCEPTION' || error.code === 'NOT_GRANTED');

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
