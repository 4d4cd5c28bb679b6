import { once } from 'node:events';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { connect } from 'node:tls';
import { CHAINS, type Chain } from '@hes/contract/audit/actions.ts';
import { auditRowsAfter } from '#db/audit.ts';
import { commandRowsAfter } from '#db/command-log.ts';
import type { HashedRow } from '#db/hash-chain.ts';
import { AuthenticatedFile } from '#db/authenticated-file.ts';
import type { Config } from '#platform/config.ts';
import type { Context } from '#db/context.ts';
import { CountedLog } from '#platform/counted-log.ts';
import { STRONG_TLS } from '#platform/strong-tls.ts';
import { startPeriodicJob } from '#platform/periodic-job.ts';

const EVERY_MS = 1_000;
/** Rows per connection. Further rows stay in the database, which bounds memory. */
const ROWS_A_BATCH = 500;
const WITHIN_MS = 20_000;
/** A receiver that closes within this time after the last octet may not have read it. */
const GRACE_MS = 200;
/** Facility 13 (log audit), severity 5 (notice): RFC 5424, 6.2.1. */
const AUDIT_NOTICE = 13 * 8 + 5;
const ROWS_AFTER = { audit: auditRowsAfter, commands: commandRowsAfter } as const;

export type Receiver = NonNullable<Config['auditSyslog']> & { tls: NonNullable<NonNullable<Config['auditSyslog']>['tls']> };
type ForwarderContext = Pick<Context, 'db' | 'clock' | 'log' | 'secrets'>;

/** Formats a row as an RFC 5424 message with its length (RFC 5425, 4.3). The id identifies duplicates. */
function frameOf(chain: Chain, { id, hash, content }: HashedRow): string {
  const fields = JSON.parse(content) as unknown[]; // as: the log writes an array that begins with the time
  const text = JSON.stringify({ id, hash: hash.toString('hex'), row: fields });
  const message = `<${AUDIT_NOTICE}>1 ${String(fields[0])} ${hostname()} hes ${process.pid} ${chain} - ${text}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

/**
 * Sends over a new connection and waits for the receiver to close it, because syslog has no other acknowledgement. Throws if the
 * certificate does not match host and authority, or if the receiver closes too early.
 */
async function deliver({ host, port, tls }: Receiver, text: string, signal: AbortSignal): Promise<void> {
  const socket = connect({
    ...STRONG_TLS,
    host,
    port,
    servername: host,
    rejectUnauthorized: true,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
  });
  // A receiver that does not read would block the write, so the timeout destroys the socket.
  signal.addEventListener('abort', () => socket.destroy(), { once: true });
  try {
    await once(socket, 'secureConnect', { signal });
    let isClosedByReceiver = false;
    socket.resume().once('end', () => (isClosedByReceiver = true));
    const closed = once(socket, 'close', { signal });
    // The promise is awaited below; this handler prevents an unhandled rejection until then.
    closed.catch(() => undefined);
    await new Promise<void>((resolve, reject) => socket.write(text, (error) => (error ? reject(error) : resolve())));
    await wait(GRACE_MS, undefined, { signal });
    if (isClosedByReceiver) throw new Error('The receiver closed the connection before it had everything');
    socket.end();
    await closed;
  } finally {
    socket.destroy();
  }
}

/**
 * Forwards every row of audit log and command log to another machine, at least once and in order.
 * A file in the data folder stores the last acknowledged row of each log.
 */
export class LogForwarder {
  readonly #ctx: ForwarderContext;
  readonly #receiver: Receiver;
  readonly #withinMs: number;
  readonly #file: AuthenticatedFile<'forwarded', Record<Chain, string>>;
  readonly #closing = new AbortController();
  #forwarded: Record<Chain, string>;

  constructor(ctx: ForwarderContext, receiver: Receiver, { dataDir, withinMs = WITHIN_MS }: { dataDir: string; withinMs?: number }) {
    this.#ctx = ctx;
    this.#receiver = receiver;
    this.#withinMs = withinMs;
    this.#file = new AuthenticatedFile(
      { dataDir, file: 'forwarded-logs.json', name: 'forwarded' },
      ...ctx.secrets.verifiers('forwarded logs'),
    );
    this.#forwarded = this.#file.read() ?? { audit: '0', commands: '0' };
    // Rewrites the file under the current key after a rotation.
    this.#file.write(this.#forwarded);
  }

  /** Forwards all new rows. Returns the number of acknowledged rows. */
  async forward(): Promise<number> {
    let acknowledged = 0;
    for (const chain of CHAINS) {
      for (;;) {
        const rows = await ROWS_AFTER[chain](this.#ctx.db, this.#forwarded[chain], ROWS_A_BATCH);
        const last = rows.at(-1);
        if (last === undefined) break;
        const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(this.#withinMs)]);
        await deliver(this.#receiver, rows.map((row) => frameOf(chain, row)).join(''), signal);
        this.#forwarded = { ...this.#forwarded, [chain]: last.id };
        this.#file.write(this.#forwarded);
        acknowledged += rows.length;
      }
    }
    return acknowledged;
  }

  /** Aborts the current delivery, whose rows are sent again at the next start. */
  close(): void {
    this.#closing.abort();
  }
}

/** Starts the job that forwards the logs if a receiver is configured. Returns the function that stops it. */
export function startForwarding(
  ctx: ForwarderContext,
  { auditSyslog, dataDir }: Pick<Config, 'auditSyslog' | 'dataDir'>,
): (() => Promise<void>) | undefined {
  if (auditSyslog?.tls === undefined) return undefined;
  const forwarder = new LogForwarder(ctx, { ...auditSyslog, tls: auditSyslog.tls }, { dataDir });
  const log = new CountedLog(ctx.log, ctx.clock);
  const onFailure = (error: unknown) => log.warn('Rows of the logs did not reach the syslog server, and wait', { error });
  const forwarding = startPeriodicJob(EVERY_MS, () => forwarder.forward(), onFailure);
  return () => {
    forwarder.close();
    return forwarding.stop();
  };
}
