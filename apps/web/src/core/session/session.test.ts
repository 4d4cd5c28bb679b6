import { beforeEach, expect, test, vi } from 'vitest';
import { authorization, clearSession, followOtherTabs, saveSession, useSession } from './session.ts';

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

test('S-268 S-269: the token lies apart from the user', () => {
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

test('a new sign-in of the same user in another tab closes the dialog, that of another user ends this page', () => {
  const onOther = vi.fn();
  followOtherTabs(onOther);
  const store = (who: typeof user, access_token: string) => {
    localStorage.setItem('HES_USER', JSON.stringify(who));
    localStorage.setItem('HES_TOKEN', JSON.stringify({ ...token, access_token }));
    for (const key of ['HES_USER', 'HES_TOKEN']) dispatchEvent(new StorageEvent('storage', { key }));
  };
  saveSession(user, token);
  useSession.setState({ expired: true });
  store(user, 'def');
  expect([useSession.getState().expired, authorization(), onOther.mock.calls.length]).toEqual([false, 'Bearer def', 0]);
  store({ ...user, id: '8' }, 'ghi');
  expect([authorization(), onOther.mock.calls.length]).toEqual(['Bearer def', 1]);
  clearSession();
  store(user, 'jkl');
  expect(useSession.getState().user).toBeNull();
});
