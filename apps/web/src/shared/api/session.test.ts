import { beforeEach, expect, test } from 'vitest';
import { authorization, clearSession, saveSession, useSession } from './session.ts';

const user = { id: '7', username: 'lin.wei', name: 'Lin Wei' };
const token = { access_token: 'abc', token_type: 'Bearer', expiresAt: 1 };

beforeEach(() => {
  localStorage.clear();
  clearSession();
});

test('S-266 S-267 S-343: a session is a user with an id, kept under the prefix of the product', () => {
  expect(useSession.getState().user).toBeNull();
  saveSession({ ...user, mustChangePassword: true } as typeof user, token); // as: the server's answer holds more than is kept
  expect(JSON.parse(localStorage.getItem('HES_USER') ?? '')).toEqual(user);
  expect(useSession.getState().user?.id).toBe('7');
});

test('S-268 S-269 S-270: the token lies apart from the user and makes the header', () => {
  saveSession(user, token);
  expect(JSON.parse(localStorage.getItem('HES_TOKEN') ?? '')).toMatchObject({ access_token: 'abc', token_type: 'Bearer' });
  expect(localStorage.getItem('HES_USER')).not.toContain('abc');
  expect(authorization()).toBe('Bearer abc');
});

test('S-345 S-346: signing out forgets user and token', () => {
  saveSession(user, token);
  clearSession();
  expect([localStorage.getItem('HES_USER'), localStorage.getItem('HES_TOKEN'), useSession.getState().user]).toEqual([null, null, null]);
});
