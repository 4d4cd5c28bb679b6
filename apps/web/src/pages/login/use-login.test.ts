import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { messages } from './messages.ts';
import { problemOnLeaving, problemsOf, useLogin, withoutFixed } from './use-login.ts';

const EMPTY = { username: ' ', password: '', directory: undefined, agreed: false, remembered: false };
const FULL = { username: 'admin', password: 'x', directory: undefined, agreed: true, remembered: false };

test('S-411 S-412: a sign-in without a user name says that it is required', () => {
  const problems = problemsOf({ ...FULL, username: ' ' }, 'nonce');
  expect(Object.keys(problems)).toEqual(['username']);
  expect(messages[problems.username ?? 'hint'].en).toBe('User Name Is Required');
});

test('S-414 S-415: a sign-in without a password says that it is required', () => {
  const problems = problemsOf({ ...FULL, password: '' }, 'nonce');
  expect(Object.keys(problems)).toEqual(['password']);
  expect(messages[problems.password ?? 'hint'].en).toBe('Password Is Required');
});

test('S-417 S-418: a sign-in needs the service agreement and the slider', () => {
  expect(Object.keys(problemsOf({ ...FULL, agreed: false }, 'nonce'))).toEqual(['agreement']);
  expect(Object.keys(problemsOf(FULL, undefined))).toEqual(['slider']);
  expect(Object.keys(problemsOf(EMPTY, undefined))).toEqual(['username', 'password', 'agreement', 'slider']);
});

test('S-413 S-416: an empty field asks for its value on blur', () => {
  expect(messages[problemOnLeaving('username', ' ').username ?? 'hint'].en).toBe('Please Enter User Name');
  expect(messages[problemOnLeaving('password', '').password ?? 'hint'].en).toBe('Please Enter Password');
  expect(problemOnLeaving('username', 'admin')).toEqual({});
});

test('a complete form has no problems', () => {
  expect(problemsOf({ username: 'admin', password: 'x', directory: undefined, agreed: true, remembered: false }, 'nonce')).toEqual({});
});

test('a change clears the error of its field and keeps the others', () => {
  const all = problemsOf({ username: '', password: '', directory: undefined, agreed: false, remembered: false }, undefined);
  expect(Object.keys(withoutFixed(all, { username: 'a' }))).toEqual(['password', 'agreement', 'slider']);
  expect(Object.keys(withoutFixed(all, { agreed: true }))).toEqual(['username', 'password', 'slider']);
});

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const COMPLETE = { username: 'admin', password: 'x', directory: undefined, agreed: true, remembered: false };

/** A sign-in form whose requests wait until the test answers them. */
function slowSignIn() {
  const asked: { path: string; body: string; answer: (status: number, body: object) => void }[] = [];
  vi.stubGlobal(
    'fetch',
    (path: string, { body }: RequestInit = {}) =>
      new Promise<Response>((resolve) =>
        asked.push({
          path,
          body: new URLSearchParams(body instanceof URLSearchParams ? body : String(body ?? '')).toString(),
          answer: (status, answered) => resolve(new Response(JSON.stringify(answered), { status })),
        }),
      ),
  );
  const opened: string[] = [];
  const hook = renderHook(() => useLogin({ redirect: null, onSignedIn: (path) => void opened.push(path) }));
  return { asked, opened, login: () => hook.result.current };
}

test('Log In during the verification of the slider waits for its result and signs in', async () => {
  const { asked, opened, login } = slowSignIn();
  act(() => login().verify());
  act(() => void login().submit(COMPLETE));
  act(() => void login().submit(COMPLETE));
  expect([login().problems, login().isEntering, asked.length]).toEqual([{}, true, 1]);
  act(() => asked[0]?.answer(200, { slider: { nonce: 'seen' } }));
  await waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]?.path).toMatch(/token/);
  expect(asked[1]?.body).toContain('seen');
  act(() =>
    asked[1]?.answer(200, { access_token: 'a', token_type: 'Bearer', expires_in: 900, user: { id: '1', username: 'admin', name: 'A' } }),
  );
  await waitFor(() => expect(opened).toEqual(['/']));
  await waitFor(() => expect(login().isEntering).toBe(false));
  expect(asked).toHaveLength(2);
});

test('a slider that cannot be verified shows the reason, and no credentials are sent', async () => {
  const { asked, opened, login } = slowSignIn();
  act(() => login().verify());
  act(() => void login().submit(COMPLETE));
  act(() => asked[0]?.answer(503, { type: 'about:blank', title: 'x', status: 503, code: 'UNAVAILABLE', detail: 'Not now.' }));
  await waitFor(() => expect(login().isEntering).toBe(false));
  expect([login().refusal, asked.length, opened]).toEqual(['Not now.', 1, []]);
});

test('other missing input is reported at once, even while the slider is verified', () => {
  const { login } = slowSignIn();
  act(() => login().verify());
  act(() => void login().submit({ ...COMPLETE, password: '' }));
  expect([login().problems, login().isEntering]).toEqual([{ password: 'passwordRequired' }, false]);
});
