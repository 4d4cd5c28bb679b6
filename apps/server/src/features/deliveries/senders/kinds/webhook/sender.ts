import { createHmac } from 'node:crypto';
import { isSigningSecret, webhook } from '@hes/contract/delivery/kinds/webhook.ts';
import { GuardedHttp } from '#platform/guarded-http.ts';
import { BATCH_TYPE } from '../../cloud-events.ts';
import { DeliveryFailed, implementKind, type Batch } from '../kind.ts';

/** The receiver has this long for connection, request and answer together. */
const TIMEOUT_MS = 15_000;
const BATCH_ITEMS = 100;
/** The receiver does not understand the message itself. Other failures may pass without a change of the message. */
const REFUSALS = new Set([400, 413, 415, 422]);

/** Octets of a secret: base64 after the prefix of Standard Webhooks, otherwise its text. */
const keyOf = (secret: string): Buffer => (secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret));

/** Signature by Standard Webhooks: over id, time of the attempt in epoch seconds and body. */
const signMessage = (secret: string, id: string, timestamp: number, body: string): string =>
  `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

/** Throws unless the status confirms the messages. */
function judge(status: number): void {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) throw new DeliveryFailed('redirected');
  throw new DeliveryFailed(REFUSALS.has(status) ? 'refused' : 'status', String(status));
}

function headersOf(secret: string, { id, at }: Batch, body: string) {
  const timestamp = Math.floor(at / 1000);
  return {
    'content-type': BATCH_TYPE,
    'user-agent': 'hes-deliveries',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signMessage(secret, id, timestamp, body),
  };
}

export const webhookSender = implementKind(webhook, {
  batchItems: BATCH_ITEMS,
  open({ settings: { url }, secrets: { secret }, networks }) {
    if (!isSigningSecret(secret)) throw new DeliveryFailed('internal', 'The secret after whsec_ is not base64 of 24 to 64 octets');
    const http = new GuardedHttp();
    return {
      isOpen: () => true,
      async send(batch) {
        const body = JSON.stringify(batch.events);
        const answer = await http.post({ url, headers: headersOf(secret, batch, body), body, networks, timeoutMs: TIMEOUT_MS });
        if ('failure' in answer) throw new DeliveryFailed(answer.failure, answer.detail);
        judge(answer.status);
      },
      close: () => http.close(),
    };
  },
});
