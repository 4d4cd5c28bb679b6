import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import type { Context } from '#db/context.ts';
import { LONG_AGO, monotonicNow, msBetween, type MonotonicMs } from '#platform/clock.ts';
import { within } from '#platform/within.ts';
import { registerInstallationMetrics } from './installation-metrics.ts';
import { registerProcessMetrics, type ProcessParts } from './process-metrics.ts';
import { findInstallationFigures, type InstallationFigures } from './queries.ts';

/** Several scrapers share the figures of this time, so that they cannot load the database. */
const FRESH_MS = 10_000;
/** A scraper waits ten seconds by default; metrics of the process are shown in any case. */
const DATABASE_WITHIN_MS = 4_000;
const REQUEST_WITHIN_MS = 10_000;

export interface MetricsOptions extends ProcessParts {
  /** 0: any free port. */
  port: number;
  host: string;
}

export interface RunningMetrics {
  port: number;
  stop(): Promise<void>;
}

/**
 * Figures of the installation, read at most once per FRESH_MS and by one connection at a time: a slow database is not asked again before it
 * has answered.
 */
class Figures {
  readonly #ctx: Pick<Context, 'db' | 'log'>;
  #known: InstallationFigures | undefined;
  #readAt: MonotonicMs = LONG_AGO;
  #reading: Promise<void> | undefined;

  constructor(ctx: Pick<Context, 'db' | 'log'>) {
    this.#ctx = ctx;
  }

  /** Undefined: the database does not answer in time. */
  async get(): Promise<InstallationFigures | undefined> {
    if (msBetween(this.#readAt, monotonicNow()) >= FRESH_MS) this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    if (this.#reading === undefined) return this.#known;
    const result = await within(this.#reading, DATABASE_WITHIN_MS, 'late');
    return result === 'late' ? undefined : this.#known;
  }

  async #read(): Promise<void> {
    this.#known = await findInstallationFigures(this.#ctx.db, DATABASE_WITHIN_MS).catch((error: unknown) => {
      this.#ctx.log.warn('The figures of the installation could not be read for the metrics', { error });
      return undefined;
    });
    this.#readAt = monotonicNow();
  }
}

/**
 * Serves metrics in the Prometheus text format at `/metrics`, on a port of their own: they need no session, so the port must be reachable
 * by the monitoring only. Rejects when the port is taken.
 */
export async function startMetrics(ctx: Pick<Context, 'db' | 'log'>, { port, host, ...parts }: MetricsOptions): Promise<RunningMetrics> {
  const registry = new Registry();
  const end = registerProcessMetrics(registry, parts);
  const show = registerInstallationMetrics(registry);
  const figures = new Figures(ctx);
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('The metrics are at /metrics.\n');
      return;
    }
    void (async () => {
      show(await figures.get());
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(request.method === 'HEAD' ? '' : text);
    })().catch((error: unknown) => {
      ctx.log.error('The metrics could not be written', { error });
      response.destroy();
    });
  });
  server.requestTimeout = REQUEST_WITHIN_MS;
  await listen(server, { port, host });
  return {
    port: (server.address() as AddressInfo).port, // as: it listens on a TCP port
    async stop() {
      end();
      registry.clear();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listen = (server: Server, { port, host }: { port: number; host: string }): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
