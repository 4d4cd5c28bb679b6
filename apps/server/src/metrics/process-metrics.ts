import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { BackupState } from '@hes/contract/manager/backup.ts';
import { systemClock } from '#platform/clock.ts';
import { measures } from '#platform/measures.ts';

/** Upper limits in seconds: from a DCU on the same network to a meter behind several hops of power line. */
const ROUND_TRIP_BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60];

/** What a node knows without the database. */
export interface ProcessParts {
  version: string;
  /** Name of this node. */
  node: string;
  pools: Readonly<Record<string, Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>>>;
  /** Number of connected DCUs and direct meters. */
  connections: () => number;
  /** Items that this node has claimed and not ended. */
  itemsInFlight: () => number;
  /** How backups stand. */
  backups: () => BackupState;
  /** Whether /readyz would say ready, apart from the database. */
  isReady: () => boolean;
}

/** Registers the metrics of this process. Returns a function that ends their subscriptions. */
export function registerProcessMetrics(registry: Registry, parts: ProcessParts): () => void {
  const registers = [registry];
  collectDefaultMetrics({ register: registry, prefix: 'hes_' });
  new Gauge({ name: 'hes_build_info', help: 'Always 1; the labels tell version and node.', labelNames: ['version', 'node'], registers })
    .labels(parts.version, parts.node)
    .set(1);
  gaugeOf(registry, 'hes_ready', '1: this node takes work.', () => Number(parts.isReady()));
  gaugeOf(registry, 'hes_connections', 'DCUs and direct meters connected to this node.', parts.connections);
  gaugeOf(registry, 'hes_items_in_flight', 'Items that this node has claimed and not ended.', parts.itemsInFlight);
  registerPools(registry, parts.pools);
  registerBackups(registry, parts.backups);
  return subscribe(registry);
}

function gaugeOf(registry: Registry, name: string, help: string, value: () => number): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [],
    collect() {
      this.set(value());
    },
  });
  registry.registerMetric(gauge);
}

const secondsSince = (at: string | null): number | undefined =>
  at === null ? undefined : Math.max(0, (systemClock.now() - Date.parse(at)) / 1000);

/** Nothing is shown for an external database, nor without HES_BACKUP_FOLDER. */
function registerBackups(registry: Registry, backups: ProcessParts['backups']): void {
  const gauges: [name: string, help: string, value: (state: BackupState) => number | undefined][] = [
    ['hes_backup_age_seconds', 'Age of the newest backup of the built-in database.', ({ newestAt }) => secondsSince(newestAt)],
    [
      'hes_backup_verified_age_seconds',
      'Age of the newest backup that was restored and started for a test.',
      ({ verifiedAt }) => secondsSince(verifiedAt),
    ],
    ['hes_backup_failed', '1: the last backup, or its test, failed.', ({ failure }) => Number(failure !== null)],
    [
      'hes_backup_archive_failing_seconds',
      'How long no WAL could be archived; 0: it is archived.',
      ({ archiveFailedSince }) => secondsSince(archiveFailedSince) ?? 0,
    ],
  ];
  for (const [name, help, value] of gauges) {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        const state = backups();
        const now = state.kind === 'on' ? value(state) : undefined;
        if (now === undefined) this.remove();
        else this.set(now);
      },
    });
    registry.registerMetric(gauge);
  }
}

function registerPools(registry: Registry, pools: ProcessParts['pools']): void {
  const gauge = new Gauge({
    name: 'hes_pool_connections',
    help: 'Database connections of this node by pool; `waiting` counts callers without a connection.',
    labelNames: ['pool', 'state'],
    registers: [],
    collect() {
      for (const [name, pool] of Object.entries(pools)) {
        this.labels(name, 'busy').set(pool.totalCount - pool.idleCount);
        this.labels(name, 'idle').set(pool.idleCount);
        this.labels(name, 'waiting').set(pool.waitingCount);
      }
    },
  });
  registry.registerMetric(gauge);
}

function subscribe(registry: Registry): () => void {
  const registers = [registry];
  const results = new Counter({
    name: 'hes_item_results_total',
    help: 'Results of items, one per attempt, by state and reason; `waiting` is tried again.',
    labelNames: ['state', 'reason'],
    registers,
  });
  const roundTrips = new Histogram({
    name: 'hes_round_trip_seconds',
    help: 'Time from the last octet of a request to a device to the last octet of its answer.',
    buckets: ROUND_TRIP_BUCKETS,
    registers,
  });
  const timeouts = new Counter({ name: 'hes_timeouts_total', help: 'Requests to devices without an answer in time.', registers });
  const rows = new Counter({ name: 'hes_rows_stored_total', help: 'Rows of readings that were committed.', registers });
  const unconfirmed = new Gauge({
    name: 'hes_mqtt_unconfirmed_bytes',
    help: 'Octets of MQTT messages in memory that their brokers have not confirmed.',
    registers,
  });
  const ends = [
    measures.itemResult.subscribe(({ state, reason }) => results.labels(state, reason ?? 'none').inc()),
    measures.roundTrip.subscribe(({ ms }) => roundTrips.observe(ms / 1000)),
    measures.timeout.subscribe(() => timeouts.inc()),
    measures.rowsStored.subscribe((stored) => rows.inc(stored.rows)),
    measures.mqttUnconfirmed.subscribe(({ octets }) => unconfirmed.inc(octets)),
  ];
  return () => ends.forEach((end) => end());
}
