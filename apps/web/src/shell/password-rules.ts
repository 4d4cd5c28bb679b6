import { PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import type { messages } from './messages.ts';

type Word = keyof typeof messages;

export interface PasswordDraft {
  oldPassword: string;
  newPassword: string;
  passwordConfirm: string;
}

/** The rules of the specification, §5: all three strong, the third equal to the second. */
export function passwordProblems(draft: PasswordDraft): Partial<Record<keyof PasswordDraft, Word>> {
  const problems: Partial<Record<keyof PasswordDraft, Word>> = {};
  for (const key of ['oldPassword', 'newPassword', 'passwordConfirm'] as const) {
    if (draft[key] === '') problems[key] = 'enterPassword';
    else if (!PASSWORD_RULE.test(draft[key])) problems[key] = 'passwordWeak';
  }
  if (!problems.passwordConfirm && draft.passwordConfirm !== draft.newPassword) problems.passwordConfirm = 'passwordsDiffer';
  return problems;
}
