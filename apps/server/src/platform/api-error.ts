import { ERRORS, type ErrorCode } from '@hes/contract/core/errors.ts';
import { say, type Locale, type Text } from '@hes/contract/core/text.ts';

export interface FieldIssue {
  field: string;
  message: string;
}

/** Fills a sentence; a `Text` is said in the language of the sentence. */
export type ErrorParams = Record<string, string | number | Text>;

/** What the user asked wrongly. The HTTP layer turns it into problem details in the caller's language. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly params: ErrorParams;
  readonly #at: FieldIssue[] | string | undefined;
  /** What stands now in the place of what the caller knew: a form shows both. */
  readonly current: Record<string, unknown> | undefined;
  /** Goes on with a sign-in that lacks its code. */
  ticket: string | undefined;
  /** What proves that the caller is there. */
  proof: 'code' | 'password' | undefined;

  /** `at`: the fields that are wrong, or the one field that the sentence is about. */
  constructor(code: ErrorCode, params: ErrorParams = {}, at?: FieldIssue[] | string, current?: Record<string, unknown>) {
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

  /** What a form shows at its fields. */
  issuesIn(locale: Locale): FieldIssue[] | undefined {
    return typeof this.#at === 'string' ? [{ field: this.#at, message: this.say(locale) }] : this.#at;
  }

  /** The sentence a person reads. */
  say(locale: Locale): string {
    const params = Object.fromEntries(
      Object.entries(this.params).map(([name, value]) => [name, typeof value === 'object' ? say(value, locale) : value]),
    );
    return say(ERRORS[this.code], locale, params);
  }
}
