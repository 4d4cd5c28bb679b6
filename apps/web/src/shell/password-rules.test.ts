import { expect, test } from 'vitest';
import { messages } from './messages.ts';
import { passwordProblems } from './password-rules.ts';

const wordOf = (key: keyof typeof messages | undefined) => key && messages[key].en;

test('empty fields ask for the password', () => {
  const problems = passwordProblems({ oldPassword: '', newPassword: '', passwordConfirm: '' });
  expect(Object.values(problems).map(wordOf)).toEqual(['Please Enter Password', 'Please Enter Password', 'Please Enter Password']);
});

test.each(['abcdefg1!', 'ABCDEFG1!', 'Abcdefgh!', 'Abcdefg1', 'Abc 1!xyz', 'Ab1!xy'])('%j is too weak', (newPassword) => {
  const problems = passwordProblems({ oldPassword: 'Right1!pw', newPassword, passwordConfirm: newPassword });
  expect(wordOf(problems.newPassword)).toBe(
    'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
  );
});

test('the confirmation must equal the new password', () => {
  const problems = passwordProblems({ oldPassword: 'Right1!pw', newPassword: 'Newer1!pw', passwordConfirm: 'Other1!pw' });
  expect(wordOf(problems.passwordConfirm)).toBe('Two Password Do Not Match');
  expect(passwordProblems({ oldPassword: 'Right1!pw', newPassword: 'Newer1!pw', passwordConfirm: 'Newer1!pw' })).toEqual({});
});
