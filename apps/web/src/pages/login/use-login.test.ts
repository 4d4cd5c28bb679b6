import { expect, test } from 'vitest';
import { messages } from './messages.ts';
import { problemsOf } from './use-login.ts';

test('an empty form names what is required, in the words of the specification', () => {
  const problems = problemsOf({ username: ' ', password: '', agreed: false }, undefined);
  expect(messages[problems.username ?? 'hint'].en).toBe('User Name Is Required');
  expect(messages[problems.password ?? 'hint'].en).toBe('Password Is Required');
  expect(Object.keys(problems)).toEqual(['username', 'password', 'agreement', 'slider']);
});

test('a complete form has no problems', () => {
  expect(problemsOf({ username: 'admin', password: 'x', agreed: true }, 'nonce')).toEqual({});
});
