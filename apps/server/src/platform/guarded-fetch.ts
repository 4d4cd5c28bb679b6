import type { IncomingMessage } from 'node:http';
import { AddressRefused, lookupFor, refusalOf, type AddressRefusal } from './guarded-network.ts';
import { sendRequest } from './guarded-request.ts';
import { tlsOptionsOf } from './guarded-socket.ts';

const MAX_ANSWER_OCTETS = 524_288;
const TIMEOUT_MS = 10_000;

export type FetchFailure = AddressRefusal | 'timeout' | 'unreachable' | 'invalid_answer';

/** Why there is no answer. */
export class FetchFailed extends Error {
  readonly failure: FetchFailure;
  /** Address, or message of the system. */
  readonly detail: string | null;

  constructor(failure: FetchFailure, detail: string | null) {
    super(`${failure}: ${detail ?? ''}`);
    this.name = 'FetchFailed';
    this.failure = failure;
    this.detail = detail;
  }
}

interface FetchTarget {
  /** PEM certificates that are trusted; empty: the public authorities. */
  ca: string;
  /** Internal networks that may be reached, without encryption as well. */
  networks: readonly string[];
}

interface FetchOptions {
  method?: string;
  headers?: Record<string, string>;
  /** Text or form; libraries for OAuth send nothing else. */
  body?: unknown;
}

async function readAnswer(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let octets = 0;
  // as: no encoding is set
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    octets += chunk.length;
    if (octets > MAX_ANSWER_OCTETS) throw new FetchFailed('invalid_answer', `more than ${MAX_ANSWER_OCTETS} octets`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString();
  throw new TypeError('Only texts and forms can be sent');
}

const headersOf = ({ headers }: IncomingMessage): Headers => {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) all.append(name, one);
  return all;
};

/**
 * `fetch` to addresses that a user entered, or that a server named. It reaches no internal network unless that is permitted, follows no
 * redirect, and reads at most half a megabyte within ten seconds. Throws `FetchFailed`.
 */
export const guardedFetch =
  ({ ca, networks }: FetchTarget) =>
  async (address: string | URL, { method = 'GET', headers = {}, body }: FetchOptions = {}): Promise<Response> => {
    const url = new URL(address);
    const isSecure = url.protocol === 'https:';
    const refusal = refusalOf(url.hostname, isSecure, networks);
    if (refusal !== undefined) throw new FetchFailed(refusal.failure, refusal.detail);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const text = bodyOf(body);
    const length = text === undefined ? {} : { 'content-length': String(Buffer.byteLength(text)) };
    const options = { method, agent: false, lookup: lookupFor(isSecure, networks), signal, headers: { ...headers, ...length } } as const;
    try {
      const answer = await sendRequest(url, isSecure ? { ...options, ...tlsOptionsOf({ ca }) } : options, text);
      const octets = await readAnswer(answer);
      const status = answer.statusCode ?? 0;
      return new Response(status === 204 || status === 304 ? null : new Uint8Array(octets), { status, headers: headersOf(answer) });
    } catch (error) {
      if (error instanceof FetchFailed) throw error;
      if (signal.aborted) throw new FetchFailed('timeout', null);
      if (error instanceof AddressRefused) throw new FetchFailed('address_refused', error.address);
      throw new FetchFailed('unreachable', error instanceof Error ? error.message.slice(0, 200) : null);
    }
  };
