import { expect, test } from 'vitest';
import { messages } from '#app/messages.ts';
import { passwordProblems, stillWrong } from './password-rules.ts';

const wordOf = (key: keyof typeof messages | undefined) => key && messages[key].en;

test('S-419 S-420 S-428: empty fields ask for the password', () => {
  const problems = passwordProblems({ oldPassword: '', newPassword: '', passwordConfirm: '' });
  expect(Object.values(problems).map(wordOf)).toEqual(['Please Enter Password', 'Please Enter Password', 'Please Enter Password']);
});

test.each([
  ['S-422', 'abcdefg1!'],
  ['S-421', 'ABCDEFG1!'],
  ['S-423', 'Abcdefgh!'],
  ['S-424', 'Abcdefg1'],
  ['S-424', 'Abcdefg1é码'],
  ['S-425', 'Abc 1!xyz'],
  ['S-426 S-427 S-527', 'Ab1!xy'],
])('%s: %j is too weak', (_, newPassword) => {
  const problems = passwordProblems({ oldPassword: 'Right1!pw', newPassword, passwordConfirm: newPassword });
  expect(wordOf(problems.newPassword)).toBe(
    'More Than 7 Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
  );
});

test.each(['Abcdefg1_', 'Abcdefg1€', 'Abcdefg1，', 'Abcdefg1码-'])('S-424: %j has a special character', (newPassword) => {
  expect(passwordProblems({ oldPassword: 'Right1!pw', newPassword, passwordConfirm: newPassword })).toEqual({});
});

test('S-430 S-431: the confirmation must equal the new password', () => {
  const problems = passwordProblems({ oldPassword: 'Right1!pw', newPassword: 'Newer1!pw', passwordConfirm: 'Other1!pw' });
  expect(wordOf(problems.passwordConfirm)).toBe('Two Password Do Not Match');
  expect(passwordProblems({ oldPassword: 'Right1!pw', newPassword: 'Newer1!pw', passwordConfirm: 'Newer1!pw' })).toEqual({});
});

test('S-429: the old password and the confirmation follow the same rule, and seven characters are enough', () => {
  const problems = passwordProblems({ oldPassword: 'weak', newPassword: 'Newer1!', passwordConfirm: 'weak' });
  expect(problems).toEqual({ oldPassword: 'passwordWeak', passwordConfirm: 'passwordWeak' });
});

test('a new password is as long as the installation asks for; the old one was set before', () => {
  const short = { oldPassword: 'Right1!', newPassword: 'Newer1!pw', passwordConfirm: 'Newer1!pw' };
  expect(passwordProblems(short, 12)).toEqual({ newPassword: 'passwordShort', passwordConfirm: 'passwordShort' });
  expect(passwordProblems({ ...short, newPassword: 'Newer1!pw-12', passwordConfirm: 'Newer1!pw-12' }, 12)).toEqual({});
  expect(messages.passwordShort.en).toBe(
    'At Least {min} Characters, Including Upper And Lower Case, Numbers, Special Characters, And No Spaces',
  );
});

test('editing a field clears its error; a mismatch can be resolved in either field', () => {
  const both = { oldPassword: 'enterPassword', passwordConfirm: 'passwordsDiffer' } as const;
  expect(stillWrong(both, 'oldPassword')).toEqual({ passwordConfirm: 'passwordsDiffer' });
  expect(stillWrong(both, 'newPassword')).toEqual({ oldPassword: 'enterPassword' });
  expect(stillWrong({ passwordConfirm: 'passwordWeak' }, 'newPassword')).toEqual({ passwordConfirm: 'passwordWeak' });
});
