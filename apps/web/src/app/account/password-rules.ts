import { PASSWORD_MIN, PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import type { messages } from '#app/messages.ts';

type Word = keyof typeof messages;

export interface PasswordDraft {
  oldPassword: string;
  newPassword: string;
  passwordConfirm: string;
}

export type PasswordProblems = Partial<Record<keyof PasswordDraft, Word>>;

/** Rules of the specification, §5: all three strong, the third equal to the second. `min` is the configured minimum length. */
export function passwordProblems(draft: PasswordDraft, min = PASSWORD_MIN): PasswordProblems {
  const problems: PasswordProblems = {};
  for (const key of ['oldPassword', 'newPassword', 'passwordConfirm'] as const) {
    if (draft[key] === '') problems[key] = 'enterPassword';
    else if (!PASSWORD_RULE.test(draft[key]))
      problems[key] = min > PASSWORD_MIN && key !== 'oldPassword' ? 'passwordShort' : 'passwordWeak';
    else if (key !== 'oldPassword' && [...draft[key]].length < min) problems[key] = 'passwordShort';
  }
  if (!problems.passwordConfirm && draft.passwordConfirm !== draft.newPassword) problems.passwordConfirm = 'passwordsDiffer';
  return problems;
}

/** The problems that remain while a field is edited; a mismatch may be resolved in either field. */
export function stillWrong(problems: PasswordProblems, typed: keyof PasswordDraft): PasswordProblems {
  const { [typed]: _, passwordConfirm, ...others } = problems;
  const isSettled = typed === 'passwordConfirm' || (typed === 'newPassword' && passwordConfirm === 'passwordsDiffer');
  return { ...others, ...(passwordConfirm && !isSettled ? { passwordConfirm } : {}) };
}
