import { Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { AddressRefused, lookupFor, refusalOf, type AddressRefusal } from './guarded-network.ts';
import { sendRequest } from './guarded-request.ts';

/** Longer answers are not read to their end; their status holds nevertheless. */
const MAX_ANSWER_OCTETS = 65_536;

export interface GuardedPost {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Internal networks that may be reached, without encryption as well. */
  networks: readonly string[];
  /** Connection, request and answer together end after this time. */
  timeoutMs: number;
}

/** What came of a request: the status of the answer, or why there is none. */
export type GuardedAnswer =
  | { status: number }
  | { failure: AddressRefusal | 'timeout' | 'unreachable'; /** Address, or message of the system. */ detail: string | null };

/** Reads an answer to its end so that the connection can be used again; one that is longer, or breaks off, loses its connection. */
async function drain(answer: IncomingMessage): Promise<void> {
  let octets = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      // as: no encoding is set
      octets += chunk.length;
      if (octets > MAX_ANSWER_OCTETS) break;
    }
  } catch {
    // The status has arrived, and the rest of the answer decides nothing.
  } finally {
    if (!answer.complete) answer.destroy();
  }
}

/** HTTP to addresses that a user entered. It reaches no internal network unless that is permitted, and follows no redirect. Connections are kept. */
export class GuardedHttp {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 2 });

  /** Sends one request. Does not throw, and waits no longer than the timeout. */
  async post({ url, headers, body, networks, timeoutMs }: GuardedPost): Promise<GuardedAnswer> {
    const address = new URL(url);
    const isSecure = address.protocol === 'https:';
    const refusal = refusalOf(address.hostname, isSecure, networks);
    if (refusal !== undefined) return refusal;
    const signal = AbortSignal.timeout(timeoutMs);
    const options: RequestOptions = {
      method: 'POST',
      agent: isSecure ? this.#https : this.#http,
      lookup: lookupFor(isSecure, networks),
      signal,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    };
    try {
      const answer = await sendRequest(address, options, body);
      await drain(answer);
      return { status: answer.statusCode ?? 0 };
    } catch (error) {
      if (signal.aborted) return { failure: 'timeout', detail: null };
      if (error instanceof AddressRefused) return { failure: 'address_refused', detail: error.address };
      return { failure: 'unreachable', detail: error instanceof Error ? error.message.slice(0, 200) : null };
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}
