import { createHmac } from 'node:crypto';
import { isSigningSecret } from '@hes/contract/delivery/kinds/webhook.ts';
import type { GuardedHttp } from '#platform/guarded-http.ts';
import { DeliveryFailed } from '../kind.ts';

/** The receiver has this long for connection, request and answer together. */
const TIMEOUT_MS = 15_000;
/** The receiver does not understand the message itself. Other failures may pass without a change of the message. */
const REFUSALS = new Set([400, 413, 415, 422]);

export interface SignedPost {
  url: string;
  /** Octets in base64 after the prefix `whsec_` of Standard Webhooks, otherwise a text. */
  secret: string;
  /** The same for each attempt. */
  id: string;
  /** Instant of this attempt, epoch milliseconds. */
  at: number;
  contentType: string;
  body: string;
  /** Internal networks that may be reached. */
  networks: readonly string[];
  /** Further headers, such as an authorization. */
  headers?: Readonly<Record<string, string>>;
}

const keyOf = (secret: string): Buffer => (secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret));

/** Signature by Standard Webhooks: over id, time of the attempt in epoch seconds and body. */
const signMessage = (secret: string, id: string, timestamp: number, body: Buffer): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;

/** Throws unless the status confirms the messages. */
function judge(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) throw new DeliveryFailed('redirected');
  throw new DeliveryFailed(REFUSALS.has(status) ? 'refused' : 'status', String(status));
}

/** Sends a message as Standard Webhooks says. Resolves when the receiver has confirmed it; throws `DeliveryFailed`. */
export async function postSigned(
  http: GuardedHttp,
  { url, secret, id, at, contentType, body, networks, headers = {} }: SignedPost,
): Promise<void> {
  if (!isSigningSecret(secret)) throw new DeliveryFailed('internal', 'The secret after whsec_ is not base64 of 24 to 64 octets');
  const timestamp = Math.floor(at / 1000);
  // Batches have a megabyte: their text is encoded once.
  const octets = Buffer.from(body);
  const signed = {
    ...headers,
    'content-type': contentType,
    'user-agent': 'hes-deliveries',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(secret, id, timestamp, octets),
  };
  const answer = await http.post({ url, headers: signed, body: octets, networks, timeoutMs: TIMEOUT_MS });
  if ('failure' in answer) throw new DeliveryFailed(answer.failure, answer.detail);
  judge(answer.status);
}
