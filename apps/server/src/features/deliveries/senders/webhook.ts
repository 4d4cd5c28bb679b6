import { createHmac } from 'node:crypto';
import { request as requestHttp, Agent as HttpAgent, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as requestHttps, Agent as HttpsAgent } from 'node:https';
import { isIP } from 'node:net';
import { isSigningSecret } from '@hes/contract/delivery/sender.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import { AddressRefused, guardedLookup, isPermitted, mayReach } from './receiver-address.ts';

/** The receiver has this long for connection, request and answer together. */
const TIMEOUT_MS = 15_000;
/** Longer answers are not read to their end; their status holds nevertheless. */
const MAX_ANSWER_OCTETS = 65_536;
/** The receiver does not understand the message itself. Other failures may pass without a change of the message. */
const REFUSALS = new Set([400, 413, 415, 422]);

export type Delivered = { isDelivered: true } | { isDelivered: false; failure: SenderFailure; detail: string | null };

const failed = (failure: SenderFailure, detail: string | null = null): Delivered => ({ isDelivered: false, failure, detail });

export interface Webhook {
  url: string;
  secret: string;
  /** Internal networks that may be reached. */
  networks: readonly string[];
  timeoutMs?: number;
}

export interface Message {
  /** The same for each attempt. */
  id: string;
  /** Epoch seconds of this attempt. */
  timestamp: number;
  contentType: string;
  body: string;
}

/** Octets of a secret: base64 after the prefix of Standard Webhooks, otherwise its text. */
const keyOf = (secret: string): Buffer => (secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret));

/** Signature by Standard Webhooks: over id, time of the attempt and body. */
const signMessage = (secret: string, { id, timestamp, body }: Pick<Message, 'id' | 'timestamp' | 'body'>): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

/** Why an address is refused before a connection. Addresses in the URL never reach the lookup. */
function refusalOf({ protocol, hostname }: URL, networks: readonly string[]): Delivered | undefined {
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !mayReach(literal, networks)) return failed('address_refused', literal);
  // Without encryption readings would cross foreign networks in the clear. A name is judged by its addresses, at the connection.
  if (protocol === 'http:' && !(isIP(literal) !== 0 ? isPermitted(literal, networks) : networks.length > 0)) return failed('not_encrypted');
  return undefined;
}

function judge(status: number): Delivered {
  if (status >= 200 && status < 300) return { isDelivered: true };
  if (status >= 300 && status < 400) return failed('redirected');
  return REFUSALS.has(status) ? failed('refused', String(status)) : failed('status', String(status));
}

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

/** Connections to receivers, which are kept between messages. */
export class WebhookClient {
  readonly #http = new HttpAgent({ keepAlive: true, maxSockets: 2 });
  readonly #https = new HttpsAgent({ keepAlive: true, maxSockets: 2 });

  /** Sends one message. Resolves with what the receiver did; does not throw, follows no redirect and waits no longer than the timeout. */
  async post({ url, secret, networks, timeoutMs = TIMEOUT_MS }: Webhook, message: Message): Promise<Delivered> {
    const address = new URL(url);
    const refusal = refusalOf(address, networks);
    if (refusal !== undefined) return refusal;
    if (!isSigningSecret(secret)) return failed('internal', 'The secret after whsec_ is not base64 of 24 to 64 octets');
    const isSecure = address.protocol === 'https:';
    const signal = AbortSignal.timeout(timeoutMs);
    const options: RequestOptions = {
      method: 'POST',
      agent: isSecure ? this.#https : this.#http,
      // Plain HTTP goes to permitted networks alone, whatever a name resolves to.
      lookup: isSecure ? guardedLookup(networks) : onlyPermitted(networks),
      signal,
      headers: {
        'content-type': message.contentType,
        'content-length': Buffer.byteLength(message.body),
        'user-agent': 'hes-deliveries',
        'webhook-id': message.id,
        'webhook-timestamp': String(message.timestamp),
        'webhook-signature': signMessage(secret, message),
      },
    };
    try {
      const answer = await exchange(isSecure ? requestHttps : requestHttp, address, options, message.body);
      await drain(answer);
      return judge(answer.statusCode ?? 0);
    } catch (error) {
      if (signal.aborted) return failed('timeout');
      if (error instanceof AddressRefused) return failed('address_refused', error.address);
      return failed('unreachable', error instanceof Error ? error.message.slice(0, 200) : null);
    }
  }

  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }
}

const onlyPermitted =
  (networks: readonly string[]): ReturnType<typeof guardedLookup> =>
  (hostname, options, callback) =>
    guardedLookup(networks)(hostname, { ...options, all: true }, (error, found) => {
      const all = Array.isArray(found) ? found : [];
      const foreign = all.find(({ address }) => !isPermitted(address, networks));
      const [first] = all;
      if (error !== null || foreign !== undefined || first === undefined)
        callback(error ?? new AddressRefused(foreign?.address ?? hostname), '', 0);
      else if (options.all) callback(null, all);
      else callback(null, first.address, first.family);
    });

const exchange = (request: typeof requestHttp, address: URL, options: RequestOptions, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(address, options, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
