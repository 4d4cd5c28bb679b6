/**
 * Steps of attacks on the sign-in over the network, without code of the server. `base` is its address, such as `http://127.0.0.1:8080`. Each returns the response; the caller judges it.
 */
import { request } from 'node:http';

const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;

export interface Told {
  status: number;
  code: string | undefined;
  body: Record<string, unknown>;
  retryAfter: string | null;
  /** Cookies that were set, as a browser sends them back. */
  cookies: string;
  ms: number;
}

interface Sent {
  method?: string;
  token?: string | undefined;
  /** Address that a proxy would forward. */
  from?: string | undefined;
  cookies?: string | undefined;
  headers?: Record<string, string>;
  form?: Record<string, string>;
  json?: unknown;
}

export async function send(
  base: string,
  path: string,
  { method = 'GET', token, from, cookies, headers = {}, form, json }: Sent = {},
): Promise<Told> {
  const began = performance.now();
  const answer = await fetch(`${base}/api${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      ...(cookies === undefined ? {} : { cookie: cookies }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== '';
  const body = isJson ? (JSON.parse(text) as Record<string, unknown>) : {}; // as: objects in every answer of the API
  return {
    status: answer.status,
    code: typeof body['code'] === 'string' ? body['code'] : undefined,
    body,
    retryAfter: answer.headers.get('retry-after'),
    cookies: answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; '),
    ms: performance.now() - began,
  };
}

/** A nonce of the slider: it is one question, which no program is kept from asking. */
export async function takeSlider(base: string, from?: string): Promise<string> {
  const { body } = await send(base, '/white/list/api', { from });
  return (body['slider'] as { nonce: string } | undefined)?.nonce ?? ''; // as: the route's answer
}

export interface Guess {
  username: string;
  password: string;
  from?: string | undefined;
  cookies?: string | undefined;
  slider?: string;
}

export async function guess(base: string, { username, password, from, cookies, slider }: Guess): Promise<Told> {
  const nonce = slider ?? (await takeSlider(base, from));
  return send(base, '/auth/oauth2/token', {
    method: 'POST',
    from,
    cookies,
    headers: { authorization: CLIENT },
    form: { grant_type: 'password', username, password, slider: nonce },
  });
}

/** F10: passwords for one name at the same moment, each from another address. */
export async function guessAtOnce(base: string, username: string, passwords: readonly string[]): Promise<Told[]> {
  const froms = passwords.map((_, index) => `198.51.100.${index + 1}`);
  const sliders = await Promise.all(froms.map((from) => takeSlider(base, from)));
  return Promise.all(
    passwords.map((password, index) => guess(base, { username, password, from: froms[index], slider: sliders[index] ?? '' })),
  );
}

/** F11: callers without an account who make the server hash; ends when `isOver` says so. Answers the statuses. */
export async function floodWithNames(base: string, callers: number, isOver: () => boolean): Promise<number[]> {
  const statuses: number[] = [];
  const call = async (caller: number) => {
    for (let n = 0; !isOver(); n++) {
      const from = `198.18.${caller}.${n % 250}`;
      statuses.push((await guess(base, { username: `nobody${caller}x${n}`, password: 'x', from })).status);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  return statuses;
}

/** F12: questions for a slider, from many addresses. */
export async function flushSliders(base: string, count: number): Promise<void> {
  const atOnce = 50;
  for (let at = 0; at < count; at += atOnce)
    await Promise.all(
      Array.from({ length: Math.min(atOnce, count - at) }, (_, n) => takeSlider(base, `10.${(at + n) >> 8}.${(at + n) & 255}.1`)),
    );
}

/** The proof before something dangerous, by a standing session. */
export const prove = (base: string, token: string, proof: { password?: string; otp?: string }): Promise<Told> =>
  send(base, '/auth/proof', { method: 'POST', token, json: proof });

/** F13: wrong passwords for a name until it is locked. Answers the last code. */
export async function lockName(base: string, username: string): Promise<string | undefined> {
  let last: Told | undefined;
  for (let n = 0; n < 6; n++) last = await guess(base, { username, password: `Wrong-${n}-Wrong`, from: `203.0.113.${n + 1}` });
  return last?.code;
}

/** A raw request with header lines that no regular client sends. */
export const sendRaw = (base: string, path: string, lines: readonly (readonly [string, string])[]): Promise<number> =>
  new Promise((done, fail) => {
    const { hostname, port } = new URL(base);
    const asked = request({ hostname, port, path, setHost: false, headers: lines.flat() }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    asked.on('error', fail);
    asked.end();
  });
