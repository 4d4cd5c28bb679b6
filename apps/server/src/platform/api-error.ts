import type { AssertionOptions, ProofKind } from '@hes/contract/core/own-proof.ts';
import { ERRORS, type ErrorCode, type ReadinessPart } from '@hes/contract/core/errors.ts';
import { fill, say, type Locale, type Text, type TextParams } from '@hes/contract/core/text.ts';

export interface FieldIssue {
  field: string;
  /** A text is shown in the language of the caller. */
  message: string | Text;
}

/** An error to report to the caller. The HTTP layer converts it to problem details in the caller's language. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly params: TextParams;
  readonly #at: FieldIssue[] | string | undefined;
  /** Current state of a record that changed since the caller read it; a form shows both. */
  readonly current: Record<string, unknown> | undefined;
  /** Ticket that continues a sign-in with the second factor. */
  ticket: string | undefined;
  /** Reasons why this head-end is not ready. */
  missing: ReadinessPart[] | undefined;
  /** Kind of re-authentication that the caller must provide. */
  proof: ProofKind | undefined;
  /** What a browser asks a security key, to continue a sign-in. */
  key: AssertionOptions | undefined;

  /** `at`: the issues by field, or the one field that the error concerns. `STALE` requires the stored record: see `stale`. */
  constructor(code: Exclude<ErrorCode, 'STALE'>, params?: TextParams, at?: FieldIssue[] | string);
  constructor(code: 'STALE', params: TextParams, at: undefined, current: Record<string, unknown>);
  constructor(code: ErrorCode, params: TextParams = {}, at?: FieldIssue[] | string, current?: Record<string, unknown>) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.params = params;
    this.#at = at;
    this.current = current;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** Issues that a form shows at its fields. */
  issuesIn(locale: Locale): { field: string; message: string }[] | undefined {
    if (typeof this.#at === 'string') return [{ field: this.#at, message: this.say(locale) }];
    return this.#at?.map(({ field, message }) => ({ field, message: typeof message === 'string' ? message : say(message, locale) }));
  }

  get text(): Text {
    return fill(ERRORS[this.code], this.params);
  }

  /** The error text for the user. */
  say(locale: Locale): string {
    return say(this.text, locale);
  }
}

/** Another user saved since the caller read the record. The form shows `current`, the stored record, beside its own values. */
export const stale = (current: object): ApiError => new ApiError('STALE', {}, undefined, { ...current });
