import type { FileAnswer } from '@hes/contract/core/file.ts';
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '@hes/contract/core/route.ts';
import { say, type Locale } from '@hes/contract/core/text.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useServerTime } from '#core/time/format.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { failureOfResponse, failureWithoutResponse, type ApiFailure } from './errors.ts';
import { noteAnswer, noteNoResponse } from '#core/session/reachable.ts';
import { askProof } from '#core/session/own-proof.ts';
import { refreshToken } from '#core/session/refresh.ts';
import { authorization, useSession } from '#core/session/session.ts';

const API_BASE = '/api';
export const REQUEST_TIMEOUT_MS = 70_000;

/** The only path that carries no authorization header (@spec seed §7). */
const WITHOUT_AUTHORIZATION = '/white/list/api';

export interface CallOptions<R extends Route> {
  params?: ParamsOf<R> | undefined;
  query?: QueryOf<R> | undefined;
  body?: BodyOf<R> | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
}

export type Answer<R extends Route> = { ok: true; data: ResponseOf<R> } | { ok: false; error: ApiFailure };

declare global {
  interface Window {
    /** Responses in flight that the script of index.html requested. */
    asked?: Map<string, Promise<Response>>;
  }
}

/** The response that index.html requested while this code was loading. Only the first caller gets it. */
function takeEarlyResponse(url: string): Promise<Response> | undefined {
  const answer = window.asked?.get(url);
  window.asked?.delete(url);
  return answer;
}

/** Aborts all calls in flight when the session ends. */
let generation = new AbortController();

export function abortPending(): void {
  generation.abort();
  generation = new AbortController();
}

function urlOf(path: string, params: unknown, query: unknown): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String((params as Record<string, unknown>)[name]))); // typed by the route
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    // typed by the route
    if (value === undefined || value === null || value === '') continue;
    const text = Array.isArray(value) ? value.join(',') : String(value);
    if (text !== '') search.set(key, text);
  }
  const tail = search.toString();
  return `${API_BASE}${filled}${tail === '' ? '' : `?${tail}`}`;
}

function requestOf(route: Route, options: CallOptions<Route>, signal: AbortSignal): RequestInit {
  const headers: Record<string, string> = { 'Accept-Language': usePreferences.getState().locale, ...options.headers };
  const token = authorization();
  if (token && route.path !== WITHOUT_AUTHORIZATION && !headers['Authorization']) headers['Authorization'] = token;
  const init: RequestInit = { method: route.method, headers, signal, credentials: 'same-origin' };
  if (options.body !== undefined && route.bodyType === 'form') init.body = new URLSearchParams(options.body as Record<string, string>); // form routes declare flat text bodies
  if (options.body !== undefined && (route.bodyType === 'file' || route.bodyType === 'stream')) {
    headers['Content-Type'] = 'application/octet-stream';
    init.body = options.body as BodyInit; // file routes declare bytes
  }
  if (options.body !== undefined && (route.bodyType ?? 'json') === 'json') {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(options.body);
  }
  return init;
}

function noteServerTime(response: Response): void {
  const stamp = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(stamp)) return;
  const offsetMs = stamp - Date.now();
  // The Date header has whole seconds: smaller differences are rounding.
  if (Math.abs(offsetMs - useServerTime.getState().offsetMs) > 1500) useServerTime.setState({ offsetMs });
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** A file under the name from the Content-Disposition header. */
async function fileOf(response: Response): Promise<FileAnswer> {
  const name = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'file';
  return { name: decodeURIComponent(name), type: response.headers.get('Content-Type') ?? '', content: await response.blob() };
}

const TOO_MANY = 429;
/** Maximum retries of a GET after HTTP 429. The server's rate per second exceeds the number of calls of any page. */
const MAX_RETRIES = 5;
/** A longer `Retry-After` is shown as an error instead of waiting. */
const MAX_RETRY_AFTER_S = 2;

/** Delay in ms before the retry after HTTP 429; undefined: report the error. Only GET is retried, never a route that changes data. */
function retryDelayMs(route: Route, response: Response, retries: number): number | undefined {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  const isWaitedFor = response.status === TOO_MANY && route.method === 'GET' && retries < MAX_RETRIES && seconds <= MAX_RETRY_AFTER_S;
  return isWaitedFor ? seconds * 1000 : undefined;
}

/**
 * Calls the API; renews the token once on 401, retries a GET after 429, and repeats the call after the user gave own proof. Throws only
 * when the caller aborts; all other failures are returned.
 */
export async function call<R extends Route>(
  route: R,
  options: CallOptions<R> = {},
  { isRenewed = false, retries = 0 }: { isRenewed?: boolean; retries?: number } = {},
): Promise<Answer<R>> {
  const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const session = generation.signal;
  const signals = [timeout, session, ...(options.signal ? [options.signal] : [])];
  const sentWith = useSession.getState().token?.access_token;
  const locale = usePreferences.getState().locale;
  const { user, expired } = useSession.getState();
  if ((expired || !user) && route.allow !== 'public') return { ok: false, error: ended(locale) };
  try {
    const url = urlOf(route.path, options.params, options.query);
    // as: the route's own types were checked by the caller
    const response = await (takeEarlyResponse(url) ??
      fetch(url, requestOf(route, options as CallOptions<Route>, AbortSignal.any(signals))));
    noteServerTime(response);
    noteAnswer(response.status);
    const waitMs = retryDelayMs(route, response, retries);
    if (waitMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      return await call(route, options, { isRenewed, retries: retries + 1 });
    }
    const body = response.ok && route.answer === 'file' ? await fileOf(response) : await bodyOf(response);
    if (response.ok && !isHeld(body)) return { ok: true, data: body as ResponseOf<R> }; // the server validates in tests; here the contract is trusted
    if (response.status === 401 && sentWith !== undefined && !isRenewed) {
      if (await refreshToken(sentWith)) return await call(route, options, { isRenewed: true, retries });
      sessionExpired();
    } else if (response.status === 401 && isRenewed) sessionExpired();
    const error = failureOfResponse(response.status, body, locale);
    if (error.proof !== undefined && (await askProof(error.proof))) return await call(route, options, { isRenewed, retries });
    return { ok: false, error };
  } catch (cause) {
    if (options.signal?.aborted) throw cause;
    if (!session.aborted) noteNoResponse();
    return { ok: false, error: failureWithoutResponse(cause, timeout.aborted, locale) };
  }
}

/** The response to a call that retries for the approval of a second user: the server has not executed it. */
const isHeld = (body: unknown): boolean => typeof body === 'object' && body !== null && 'code' in body && body.code === 'APPROVAL_REQUIRED';

type Caller<M extends Route['method']> = <R extends Route & { method: M }>(route: R, options?: CallOptions<R>) => Promise<Answer<R>>;

/** One function per HTTP method: the compiler refuses a route of another method. */
export const api: { get: Caller<'GET'>; post: Caller<'POST'>; put: Caller<'PUT'>; delete: Caller<'DELETE'> } = {
  get: call,
  post: call,
  put: call,
  delete: call,
};

/** The answer without a request: while the sign-in dialog is open, and for pages that unmount after the user signed out. */
const ended = (locale: Locale): ApiFailure => ({ raw: undefined, status: 401, message: say(common.loginExpired, locale) });

/** Aborts all calls in flight and opens the sign-in dialog; repeated calls have no effect. */
export function sessionExpired(): void {
  if (useSession.getState().expired || !useSession.getState().user) return;
  useSession.setState({ expired: true });
  abortPending();
}
