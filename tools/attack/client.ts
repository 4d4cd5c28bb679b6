/** HTTP client of an attacker: from any loopback address, with headers that a browser would not send. */
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Reply {
  status: number;
  /** Code of a refusal. */
  code: string | undefined;
  // any: bodies of responses and refusals alike
  body: any;
  text: string;
  headers: IncomingHttpHeaders;
  /** Cookies that were set, in the form that a browser returns them. */
  cookies: string;
  ms: number;
}

export interface Sent {
  method?: string;
  token?: string | undefined;
  /** Loopback address to connect from; each counts as a separate host. */
  from?: string;
  cookies?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  octets?: Uint8Array;
}

/** Calls the API as one user; the path omits `/api`. */
export type Call = (method: string, path: string, json?: unknown) => Promise<Reply>;

const TIMEOUT_MS = 60_000;
const agent = new Agent({ keepAlive: false, maxSockets: 1_000 });

function payloadOf({ json, form, octets }: Sent): { type: string; payload: string | Uint8Array } | undefined {
  if (json !== undefined) return { type: 'application/json', payload: JSON.stringify(json) };
  if (form !== undefined) return { type: 'application/x-www-form-urlencoded', payload: new URLSearchParams(form).toString() };
  return octets === undefined ? undefined : { type: 'application/octet-stream', payload: octets };
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Sends a request to a path of the server; the path begins with `/`. */
export function ask(base: string, path: string, sent: Sent = {}): Promise<Reply> {
  const { hostname, port } = new URL(base);
  const payload = payloadOf(sent);
  const began = performance.now();
  return new Promise((done, fail) => {
    const asking = request(
      {
        agent,
        hostname,
        port,
        path,
        method: sent.method ?? 'GET',
        timeout: TIMEOUT_MS,
        ...(sent.from === undefined ? {} : { localAddress: sent.from }),
        headers: {
          ...(sent.token === undefined ? {} : { authorization: `Bearer ${sent.token}` }),
          ...(sent.cookies === undefined ? {} : { cookie: sent.cookies }),
          ...(payload === undefined ? {} : { 'content-type': payload.type, 'content-length': Buffer.byteLength(payload.payload) }),
          ...sent.headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', fail);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const body = parsed(text) as { code?: unknown } | undefined; // as: looked at below
          done({
            status: answer.statusCode ?? 0,
            code: typeof body?.code === 'string' ? body.code : undefined,
            body,
            text,
            headers: answer.headers,
            cookies: (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; '),
            ms: performance.now() - began,
          });
        });
      },
    );
    asking.on('timeout', () => asking.destroy(new Error(`${path} timed out after ${TIMEOUT_MS} ms`)));
    asking.on('error', fail);
    asking.end(payload?.payload);
  });
}

const CLIENT = `Basic ${Buffer.from('hes-console:').toString('base64')}`;

/** Retries while the rate limit of the user refuses the call: the attack is aimed at the code behind it. */
export async function askPatiently(base: string, path: string, sent: Sent = {}): Promise<Reply> {
  for (const until = performance.now() + TIMEOUT_MS; ;) {
    const reply = await ask(base, path, sent);
    if (reply.code !== 'RATE_LIMIT' || performance.now() > until) return reply;
    await wait(1_000 * Number(reply.headers['retry-after'] ?? 1));
  }
}

/** A nonce of the slider: a single request, which any program can send. */
export const takeSlider = async (base: string, from?: string): Promise<string> =>
  String((await ask(base, '/api/white/list/api', from === undefined ? {} : { from })).body?.slider?.nonce ?? '');

export interface Guess {
  username: string;
  password: string;
  from: string;
  cookies?: string;
  slider?: string;
  otp?: string;
}

/** A sign-in with a right or wrong password. */
export const guess = async (base: string, { username, password, from, cookies, slider, otp }: Guess): Promise<Reply> =>
  ask(base, '/api/auth/oauth2/token', {
    method: 'POST',
    from,
    ...(cookies === undefined ? {} : { cookies }),
    headers: { authorization: CLIENT },
    form: {
      grant_type: 'password',
      username,
      password,
      slider: slider ?? (await takeSlider(base, from)),
      ...(otp === undefined ? {} : { otp }),
    },
  });

/** Exchanges the refresh cookie for another session token. */
export const refresh = (base: string, cookies: string, headers: Record<string, string> = {}): Promise<Reply> =>
  ask(base, '/api/auth/oauth2/token', {
    method: 'POST',
    cookies,
    headers: { authorization: CLIENT, ...headers },
    form: { grant_type: 'refresh_token' },
  });

/** Results in order, with `atOnce` steps in flight. */
export async function inParallel<T>(count: number, atOnce: number, step: (index: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let at = 0; at < count; at += atOnce)
    answers.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, count - at) }, (_, n) => step(at + n)))));
  return answers;
}
