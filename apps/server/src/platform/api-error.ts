import { ERRORS, type ErrorCode } from '@hes/contract/core/errors.ts';
import type { TextParams } from '@hes/contract/core/text.ts';

export interface FieldIssue {
  field: string;
  message: string;
}

/** What the user asked wrongly. The HTTP layer turns it into problem details in the caller's language. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly params: TextParams;
  readonly issues: FieldIssue[] | undefined;

  constructor(code: ErrorCode, params: TextParams = {}, issues?: FieldIssue[]) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.params = params;
    this.issues = issues;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
