import { createSocket } from 'node:dgram';
import { hostname } from 'node:os';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { ChainHead } from '#db/chain-anchors.ts';
import type { Config } from '#platform/config.ts';
import type { Log } from '#platform/log.ts';

/** The newest row of a chain for a remote sink. */
export interface SentHead extends ChainHead {
  chain: Chain;
  at: string;
}

/** Remote sink of the newest rows: an administrator of this machine cannot rewrite a log undetected. */
export interface HeadSink {
  send(head: SentHead): void;
  close(): void;
}

/** Facility 13 (log audit), severity 5 (notice): RFC 5424, 6.2.1. */
const AUDIT_NOTICE = 13 * 8 + 5;
const WEBHOOK_WITHIN_MS = 10_000;

/** One RFC 5424 message by UDP for each head (RFC 5426). */
function syslogSink({ host, port }: { host: string; port: number }, log: Log): HeadSink {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').unref();
  const onFailure = (error: Error | null): void => {
    if (error !== null) log.warn('The newest row of a log did not reach the syslog server', { error: error.message });
  };
  socket.on('error', onFailure);
  return {
    send: ({ chain, id, hash, at }) =>
      socket.send(
        `<${AUDIT_NOTICE}>1 ${at} ${hostname()} hes ${process.pid} ${chain} - newest row ${id} hash ${hash}`,
        port,
        host,
        onFailure,
      ),
    close: () => void socket.close(),
  };
}

/** Sends heads sequentially: the next one follows after success or failure of the previous one. */
function webhookSink(url: string, log: Log): HeadSink {
  const closing = new AbortController();
  let sent: Promise<void> = Promise.resolve();
  let next: SentHead | undefined;
  const post = async (): Promise<void> => {
    const head = next;
    next = undefined;
    if (head === undefined) return;
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(WEBHOOK_WITHIN_MS)]);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(head), signal, redirect: 'error' });
    if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  };
  return {
    send(head) {
      // A newer head replaces an unsent older one, because its hash covers all previous rows.
      next = head;
      sent = sent.then(post).catch((error: unknown) => log.warn('The newest row of a log did not reach the webhook', { error }));
    },
    close: () => closing.abort(),
  };
}

export function headSinks({ auditSyslog, auditWebhook }: Pick<Config, 'auditSyslog' | 'auditWebhook'>, log: Log): HeadSink[] {
  return [
    // Over TLS the log forwarder sends every row with its hash.
    ...(auditSyslog === undefined || auditSyslog.tls !== undefined ? [] : [syslogSink(auditSyslog, log)]),
    ...(auditWebhook === undefined ? [] : [webhookSink(auditWebhook, log)]),
  ];
}
