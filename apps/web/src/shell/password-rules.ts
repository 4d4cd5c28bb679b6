import { PASSWORD_MIN, PASSWORD_RULE } from '@hes/contract/core/rules.ts';
import type { messages } from './messages.ts';

type Word = keyof typeof messages;

export interface PasswordDraft {
  oldPassword: string;
  newPassword: string;
  passwordConfirm: string;
}

export type PasswordProblems = Partial<Record<keyof PasswordDraft, Word>>;

/** The rules of the specification, §5: all three strong, the third equal to the second. A new one is as long as the installation asks for. */
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

/** What is still called wrong once a field is typed in; that two differ may be settled in either. */
export function stillWrong(problems: PasswordProblems, typed: keyof PasswordDraft): PasswordProblems {
  const { [typed]: _, passwordConfirm, ...others } = problems;
  const isSettled = typed === 'passwordConfirm' || (typed === 'newPassword' && passwordConfirm === 'passwordsDiffer');
  return { ...others, ...(passwordConfirm && !isSettled ? { passwordConfirm } : {}) };
}
