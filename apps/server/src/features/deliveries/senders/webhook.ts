import { createHmac } from 'node:crypto';
import { isSigningSecret } from '@hes/contract/delivery/sender.ts';
import type { SenderFailure } from '@hes/contract/states/sender.ts';
import { GuardedHttp } from '#platform/guarded-http.ts';

/** The receiver has this long for connection, request and answer together. */
const TIMEOUT_MS = 15_000;
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

function judge(status: number): Delivered {
  if (status >= 200 && status < 300) return { isDelivered: true };
  if (status >= 300 && status < 400) return failed('redirected');
  return REFUSALS.has(status) ? failed('refused', String(status)) : failed('status', String(status));
}

/** Connections to receivers, which are kept between messages. */
export class WebhookClient {
  readonly #http = new GuardedHttp();

  /** Sends one message. Resolves with what the receiver did; does not throw, follows no redirect and waits no longer than the timeout. */
  async post({ url, secret, networks, timeoutMs = TIMEOUT_MS }: Webhook, message: Message): Promise<Delivered> {
    if (!isSigningSecret(secret)) return failed('internal', 'The secret after whsec_ is not base64 of 24 to 64 octets');
    const headers = {
      'content-type': message.contentType,
      'user-agent': 'hes-deliveries',
      'webhook-id': message.id,
      'webhook-timestamp': String(message.timestamp),
      'webhook-signature': signMessage(secret, message),
    };
    const answer = await this.#http.post({ url, headers, body: message.body, networks, timeoutMs });
    return 'status' in answer ? judge(answer.status) : failed(answer.failure, answer.detail);
  }

  close(): void {
    this.#http.close();
  }
}
