import { token } from '@hes/contract/auth/token.ts';
import { module } from '@hes/contract/manager/module.ts';
import { user } from '@hes/contract/manager/user.ts';
import { whiteList } from '@hes/contract/white/list.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import { api, REQUEST_TIMEOUT_MS } from './client.ts';
import { clearSession, saveSession } from '#core/session/session.ts';

const sent: { url: string; init: RequestInit }[] = [];
let answer: () => Promise<Response>;

beforeEach(() => {
  sent.length = 0;
  answer = () => Promise.resolve(new Response('[]'));
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return answer();
  });
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
});

const header = (name: string) => new Headers(sent[0]?.init.headers).get(name) ?? undefined;

test.each([
  ['Bearer', 'abc', 'Bearer abc'],
  ['Token', 'def', 'Token def'],
])('S-270: a call is authorised by a token of type %s with access token %s', async (token_type, access_token, wanted) => {
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token, token_type, expiresAt: Infinity });
  await api.get(module.tree);
  expect(header('Authorization')).toBe(wanted);
});

test('S-482 S-484: a call goes to the API base with the authorization header', async () => {
  expect(await api.get(module.tree)).toEqual({ ok: true, data: [] });
  expect(sent[0]?.url).toBe('/api/manager/module/tree');
  expect(header('Authorization')).toBe('Bearer abc');
});

test('S-485: the public settings are requested without it, and an explicit header is kept', async () => {
  await api.get(whiteList.api);
  expect(header('Authorization')).toBeUndefined();
  sent.length = 0;
  await api.post(token.issue, { headers: { Authorization: 'Basic xyz' }, body: { grant_type: 'password' } });
  expect(header('Authorization')).toBe('Basic xyz');
});

test('S-486: get, post, put and delete each send their method', async () => {
  await api.get(module.tree);
  await api.post(token.revoke);
  await api.put(user.changePassword, { params: { id: '7' }, body: { oldPassword: 'a', newPassword: 'b' } });
  await api.delete(module.remove, { params: { id: '9' } });
  expect(sent.map(({ init }) => init.method)).toEqual(['GET', 'POST', 'PUT', 'DELETE']);
});

test('S-483 S-519: a call times out after 70 seconds', async () => {
  const clock = new AbortController();
  const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(clock.signal);
  // The server never answers: only the abort signal of the call ends the request.
  answer = () =>
    new Promise((_resolve, reject) =>
      sent.at(-1)?.init.signal?.addEventListener('abort', (event) => reject((event.target as AbortSignal).reason)),
    ); // as: the signal itself raises it
  const asked = api.get(module.tree);
  expect(REQUEST_TIMEOUT_MS).toBe(70_000);
  expect(limit).toHaveBeenCalledWith(70_000);
  let answered: unknown;
  void asked.then((outcome) => (answered = outcome));
  clock.abort(new DOMException('The operation timed out.', 'TimeoutError'));
  await vi.waitFor(() => expect(answered).toMatchObject({ ok: false, error: { status: 0, message: 'Request Timed Out' } }));
  limit.mockRestore();
});

test('S-512 S-513: a failure is an object that is answered, never thrown', async () => {
  answer = () => Promise.resolve(new Response('{"detail":"No"}', { status: 422 }));
  expect(await api.get(module.tree)).toEqual({ ok: false, error: { raw: { detail: 'No' }, status: 422, message: 'No' } });
  answer = () => Promise.reject(new TypeError('network'));
  expect(await api.get(module.tree)).toMatchObject({ ok: false, error: { status: 0, message: 'Request Failed, Check Network' } });
});

test('the response to the early request of index.html answers the first call only', async () => {
  window.asked = new Map([['/api/manager/module/tree', Promise.resolve(new Response('[{"id":"early"}]'))]]);
  expect(await api.get(module.tree)).toEqual({ ok: true, data: [{ id: 'early' }] });
  expect(sent).toEqual([]);
  expect(await api.get(module.tree)).toEqual({ ok: true, data: [] });
  expect(sent).toHaveLength(1);
});

test('a rate-limited GET is retried after the time that the server names, other methods are not', async () => {
  vi.useFakeTimers();
  const refused = () => Promise.resolve(new Response('{"detail":"Wait"}', { status: 429, headers: { 'Retry-After': '1' } }));
  const answers = [refused, refused, () => Promise.resolve(new Response('[]'))];
  answer = () => (answers.shift() ?? refused)();
  const asked = api.get(module.tree);
  await vi.advanceTimersByTimeAsync(1000);
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect([await asked, sent.length]).toEqual([{ ok: true, data: [] }, 3]);

  sent.length = 0;
  expect([await api.post(token.revoke), sent.length]).toMatchObject([{ ok: false, error: { status: 429, message: 'Wait' } }, 1]);

  sent.length = 0;
  const never = api.get(module.tree);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([await never, sent.length]).toMatchObject([{ ok: false, error: { status: 429 } }, 6]);

  sent.length = 0;
  answer = () => Promise.resolve(new Response('{"detail":"Long"}', { status: 429, headers: { 'Retry-After': '90' } }));
  expect([await api.get(module.tree), sent.length]).toMatchObject([{ ok: false, error: { message: 'Long' } }, 1]);
  vi.useRealTimers();
});

test('after signing out only public routes are called', async () => {
  clearSession();
  expect(await api.get(module.tree)).toMatchObject({ ok: false, error: { status: 401 } });
  await api.get(whiteList.api);
  expect(sent.map(({ url }) => url)).toEqual(['/api/white/list/api']);
});
