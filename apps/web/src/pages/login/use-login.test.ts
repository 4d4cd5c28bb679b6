import { expect, test } from 'vitest';
import { messages } from './messages.ts';
import { problemOnLeaving, problemsOf, withoutFixed } from './use-login.ts';

test('S-411 S-412 S-414 S-415 S-417 S-418: an empty form names all that is required', () => {
  const problems = problemsOf({ username: ' ', password: '', agreed: false, remembered: false }, undefined);
  expect(messages[problems.username ?? 'hint'].en).toBe('User Name Is Required');
  expect(messages[problems.password ?? 'hint'].en).toBe('Password Is Required');
  expect(Object.keys(problems)).toEqual(['username', 'password', 'agreement', 'slider']);
});

test('S-413 S-416: a field left empty asks for what belongs there', () => {
  expect(messages[problemOnLeaving('username', ' ').username ?? 'hint'].en).toBe('Please Enter User Name');
  expect(messages[problemOnLeaving('password', '').password ?? 'hint'].en).toBe('Please Enter Password');
  expect(problemOnLeaving('username', 'admin')).toEqual({});
});

test('a complete form has no problems', () => {
  expect(problemsOf({ username: 'admin', password: 'x', agreed: true, remembered: false }, 'nonce')).toEqual({});
});

test('what is changed is no longer called wrong, and the rest still is', () => {
  const all = problemsOf({ username: '', password: '', agreed: false, remembered: false }, undefined);
  expect(Object.keys(withoutFixed(all, { username: 'a' }))).toEqual(['password', 'agreement', 'slider']);
  expect(Object.keys(withoutFixed(all, { agreed: true }))).toEqual(['username', 'password', 'slider']);
});
