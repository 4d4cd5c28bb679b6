import { RULES } from '@hes/contract/core/rules.ts';
import type { Text, TextParams } from '@hes/contract/core/text.ts';
import { ruleBySentence } from '@hes/contract/text/sentences.ts';
import { formTexts } from './form.messages.ts';

/** The text of a field error: a text to be translated, or the words of the server. */
type FieldError = string | { text: Text; params?: TextParams };
export type FieldErrors = Record<string, FieldError>;

/** The members of a schema issue that an error text is made of. */
interface Issue {
  code?: string | undefined;
  path: readonly PropertyKey[];
  message: string;
}
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } };
}

function errorOf(issue: Issue, isEmpty: boolean): FieldError {
  const rule = ruleBySentence.get(issue.message);
  if (isEmpty && rule !== RULES.roles && rule !== RULES.lockReason) return { text: formTexts.enter };
  if (rule) return { text: rule };
  if (issue.code === 'too_big' && 'maximum' in issue) return { text: formTexts.tooLong, params: { max: Number(issue.maximum) } };
  return { text: formTexts.invalid };
}

const isEmptyValue = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** The first error of each field, in the words of the rules of the contract. */
export function fieldErrors(issues: readonly Issue[], values: Record<string, unknown>): FieldErrors {
  const errors: FieldErrors = {};
  for (const issue of issues) {
    const field = String(issue.path[0] ?? '');
    errors[field] ??= errorOf(issue, isEmptyValue(values[field]));
  }
  return errors;
}

/** Errors of the server by field; `general` holds those whose field the form does not show. */
export function serverErrors(
  failure: { message: string; issues?: readonly { field: string; message: string }[] | undefined },
  fields: readonly string[],
): { errors: FieldErrors; general: string | undefined } {
  const errors: FieldErrors = {};
  for (const { field, message } of failure.issues ?? []) {
    const name = field.split('.')[0] ?? field;
    if (fields.includes(name)) errors[name] ??= message;
  }
  return { errors, general: Object.keys(errors).length === 0 ? failure.message : undefined };
}
