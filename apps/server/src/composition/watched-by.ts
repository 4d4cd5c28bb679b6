import type { Context } from '#db/context.ts';
import type { Field } from '#field/start-field.ts';
import type { RunningMetrics } from '#metrics/start-metrics.ts';
import type { ProcessParts } from '#metrics/process-metrics.ts';
import type { Config } from '#platform/config.ts';
import type { Dispatcher } from '#tasks/dispatcher.ts';
import { claimPort } from './ports.ts';

interface WatchedParts {
  version: string;
  /** Undefined: this node has not the role `field`. */
  field: Pick<Field, 'connected'> | undefined;
  dispatcher: Pick<Dispatcher, 'inFlight'> | undefined;
  backups: ProcessParts['backups'];
  isReady: ProcessParts['isReady'];
  pools: ProcessParts['pools'];
}

/** Exports traces if the settings name a collector; their library is loaded only then. Returns the function that ends it. */
export async function tracedBy({ otlp, nodeName }: Pick<Config, 'otlp' | 'nodeName'>, version: string): Promise<() => Promise<void>> {
  if (otlp === undefined) return () => Promise.resolve();
  const { startSpans } = await import('#metrics/otlp-spans.ts');
  return startSpans({ ...otlp, version, node: nodeName });
}

/** Starts the metrics if the settings name a port for them; their library is loaded only then. */
export async function watchedBy(
  ctx: Pick<Context, 'db' | 'log'>,
  { metrics, nodeName }: Pick<Config, 'metrics' | 'nodeName'>,
  { version, field, dispatcher, isReady, pools, backups }: WatchedParts,
): Promise<RunningMetrics | undefined> {
  if (metrics === undefined) return undefined;
  const { host } = metrics;
  const port = await claimPort({ port: metrics.port, host, variable: 'HES_METRICS_PORT' });
  const { startMetrics } = await import('#metrics/start-metrics.ts');
  return startMetrics(ctx, {
    port,
    host,
    version,
    node: nodeName,
    backups,
    pools,
    connections: () => field?.connected.ids.length ?? 0,
    itemsInFlight: () => dispatcher?.inFlight ?? 0,
    isReady,
  });
}
