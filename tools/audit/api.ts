import { OAUTH_CLIENT, token } from '@hes/contract/auth/token.ts';
import { whiteList } from '@hes/contract/white/list.ts';

/** Calls of a signed-in user. */
export interface Api {
  call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T>;
}

interface Credentials {
  username: string;
  password: string;
  otp: string | undefined;
}

async function answerOf<T>(response: Response): Promise<T> {
  const body = (await response.json()) as T & { message?: string; code?: string }; // as: what the contract declares
  if (!response.ok) throw new Error(`${response.status} ${body.code ?? ''} ${body.message ?? ''}`.trim());
  return body;
}

/** Signs in as the console does. Access tokens expire after 15 minutes, so a refused call signs in again. */
export async function signIn(address: string, credentials: Credentials): Promise<Api> {
  const at = (path: string) => `${address.replace(/\/+$/, '')}/api${path}`;
  const issue = async (): Promise<string> => {
    const { slider } = await answerOf<{ slider: { nonce: string } }>(await fetch(at(whiteList.api.path)));
    const { username, password, otp } = credentials;
    const form = new URLSearchParams({
      grant_type: 'password',
      username,
      password,
      slider: slider.nonce,
      ...(otp === undefined ? {} : { otp }),
    });
    const authorization = `Basic ${Buffer.from(`${OAUTH_CLIENT}:`).toString('base64')}`;
    const issued = await fetch(at(token.issue.path), { method: 'POST', headers: { authorization }, body: form });
    return (await answerOf<{ access_token: string }>(issued)).access_token;
  };
  let bearer = await issue();
  const send = (method: string, path: string, body: object | undefined) =>
    fetch(at(path), {
      method,
      headers: { authorization: `Bearer ${bearer}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    async call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
      const response = await send(method, path, body);
      if (response.status !== 401) return answerOf<T>(response);
      bearer = await issue();
      return answerOf<T>(await send(method, path, body));
    },
  };
}
