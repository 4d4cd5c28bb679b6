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
  readonly issues: FieldIssue[] | undefined;

  constructor(code: ErrorCode, params: ErrorParams = {}, issues?: FieldIssue[]) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.params = params;
    this.issues = issues;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  /** The sentence a person reads. */
  say(locale: Locale): string {
    const params = Object.fromEntries(
      Object.entries(this.params).map(([name, value]) => [name, typeof value === 'object' ? say(value, locale) : value]),
    );
    return say(ERRORS[this.code], locale, params);
  }
}
