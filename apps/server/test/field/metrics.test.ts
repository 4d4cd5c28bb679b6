import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openDb, openPool } from '../../src/db/pool.ts';
import type { BackupState } from '@hes/contract/manager/backup.ts';
import { EXTERNAL_BACKUP } from '../../src/features/nodes/backup-routes.ts';
import { startMetrics } from '../../src/metrics/start-metrics.ts';
import { silentLog } from '../../src/platform/log.ts';
import { freePorts } from '../../../../e2e/support/free-ports.ts';
import type { TestUser } from '../test-app.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../../deploy');
const SOON = { timeout: 20_000, interval: 100 };

let bench: ServerBench;
let server: Server;
let user: TestUser;
beforeAll(async () => {
  bench = await serverBench();
  user = await bench.app.addUser({ roles: ['ADMIN'] });
  server = await bench.server('watched', { HES_METRICS_PORT: '0' });
}, 60_000);
afterAll(() => bench.close());

const scrape = async (port = server.metricsPort): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
/** Value of a series; undefined: it is not shown. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
const isInstalled = (program: string): boolean => {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Reads a meter, so that results, round trips and rows are counted. */
async function readOneMeter(sn: string): Promise<void> {
  const { meters, meterIds } = await bench.register(sn, 1);
  server.dial(sn, meters);
  const ordered = await server.call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
  expect(ordered.status).toBe(202);
  await vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query<{ state: string }>(
      'select i.state from task_item i join meter m on m.id = i.meter_id where m.id = any($1)',
      [meterIds],
    );
    expect(rows).toEqual([{ state: 'read_success' }]);
  }, SOON);
}

test('a reading is seen in the metrics: the connection, the round trips, the result and the stored row', async () => {
  const before = valueOf(await scrape(), 'hes_item_results_total{state="read_success",reason="none"}') ?? 0;
  await readOneMeter('WATCH001');
  const text = await scrape();
  expect(valueOf(text, 'hes_connections')).toBe(1);
  expect(valueOf(text, 'hes_ready')).toBe(1);
  expect(valueOf(text, 'hes_database_up')).toBe(1);
  expect(valueOf(text, 'hes_item_results_total{state="read_success",reason="none"}')).toBe(before + 1);
  expect(valueOf(text, 'hes_round_trip_seconds_count')).toBeGreaterThanOrEqual(2);
  expect(valueOf(text, 'hes_round_trip_seconds_bucket{le="60"}')).toBe(valueOf(text, 'hes_round_trip_seconds_count'));
  expect(valueOf(text, 'hes_rows_stored_total')).toBeGreaterThanOrEqual(1);
  expect(valueOf(text, 'hes_nodes_alive')).toBe(1);
  expect(valueOf(text, 'hes_partitions_end_seconds')).toBeGreaterThan(20 * 86_400);
  expect(text).toMatch(/^hes_build_info\{version="[^"]+",node="watched"\} 1$/m);
}, 60_000);

test('without HES_METRICS_PORT there are none, and other paths than /metrics tell where they are', async () => {
  expect((await bench.server('unwatched')).metricsPort).toBeUndefined();
  const other = await fetch(`http://127.0.0.1:${server.metricsPort}/`);
  expect([other.status, await other.text()]).toEqual([404, 'The metrics are at /metrics.\n']);
}, 60_000);

/** Scrapes a new server of metrics, because a running one shows figures that are up to ten seconds old. */
async function freshMetrics(db = bench.app.ctx.db, backup: BackupState = EXTERNAL_BACKUP) {
  const running = await startMetrics(
    { db, log: silentLog },
    {
      port: 0,
      host: '127.0.0.1',
      version: '0',
      node: 'n',
      pools: {},
      backups: () => backup,
      connections: () => 0,
      itemsInFlight: () => 0,
      isReady: () => true,
    },
  );
  const text = await scrape(running.port);
  await running.stop();
  return text;
}

test('ages of backups are shown where they are made, and what fails', async () => {
  const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const state: BackupState = {
    kind: 'on',
    folder: '/b',
    newestAt: hourAgo,
    verifiedAt: null,
    failure: 'The disk is full.',
    archiveFailedSince: hourAgo,
    isTooOld: true,
  };
  const text = await freshMetrics(bench.app.ctx.db, state);
  expect(valueOf(text, 'hes_backup_age_seconds')).toBeCloseTo(3600, -2);
  expect(valueOf(text, 'hes_backup_verified_age_seconds')).toBeUndefined();
  expect(valueOf(text, 'hes_backup_failed')).toBe(1);
  expect(valueOf(text, 'hes_backup_archive_failing_seconds')).toBeCloseTo(3600, -2);
  expect(await freshMetrics()).not.toMatch(/^hes_backup_\w+ /m);
});

test('the queue, gaps, certificates, tokens and incidents of the installation are shown, and finished or acknowledged ones are not', async () => {
  const { owner } = bench.database;
  await owner.query(`
    insert into task (kind, source, title, total, done, priority, created_at, finished_at) values
      ('collect', 'plan', 'a', 10, 4, 5, now() - interval '100 seconds', null),
      ('collect', 'plan', 'b', 7, 0, 5, now() - interval '10 seconds', null),
      ('collect', 'plan', 'c', 7, 7, 5, now() - interval '1 day', now())`);
  await owner.query(`
    insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at, state)
    select min(id), 'lpa', current_date - d, 96, now(), now(), now(), case d when 3 then 'filled' else 'open' end from meter, generate_series(1, 3) d group by d`);
  await owner.query(`
    insert into event (device_kind, log, code, occur_at, direction, raw, abnormal_level, source, ack_at, dedup_hash)
    select 'head_end', 'head_end', 60050, now(), 'occur', '', 'serious', 'pull', case n when 3 then now() end, sha256(n::text::bytea) from generate_series(1, 3) n`);
  await owner.query(`
    insert into certificate (kind, usages, suite, subject, public_key, octets, issuer, serial_number, valid_from, valid_to, fingerprint, created_at)
    select 'authority', '{certificate_sign}', 1, subject, decode(repeat('00', 64), 'hex'), '', 'i', days::text, now() - interval '1 year',
      now() + make_interval(days => days), sha256(days::text::bytea), now()
    from (values ('replaced', -10), ('replaced', 300), ('ending', 20), ('expired', -30)) as c (subject, days)`);
  await owner.query(`
    insert into sender (name, kind, settings, ref, secret, contents, failures, is_paused) values
      ('billing', 'webhook', '{"url": "https://b.example"}', gen_random_uuid(), '', '{events}', 6, false),
      ('paused', 'webhook', '{"url": "https://b.example"}', gen_random_uuid(), '', '{events}', 6, true)`);
  await owner.query(`
    with channels as (insert into alarm_channel (name, kind, config, ref, target, secret, failures, is_paused) values
        ('night shift', 'webhook', '{}', gen_random_uuid(), 'x', '', 4, false), ('holidays', 'webhook', '{}', gen_random_uuid(), 'x', '', 4, true)
        returning id, is_paused),
      rules as (insert into alarm_rule (name, kind, criteria, steps) values ('serious', 'alarm', '{}', '[]') returning id),
      alarms as (insert into alarm (rule_id, opened_at, last_at, acknowledged_at) select id, now(), now(), done from rules,
        (values (null::timestamptz), (now())) as a (done) returning id, acknowledged_at)
    insert into alarm_message (alarm_id, channel_id, step, recipient_ids, locale, message_id, wait_since, created_at, state)
      select a.id, c.id, 0, '{}', 'en-US', gen_random_uuid(), now(), now() - make_interval(secs => age), state
      from alarms a, channels c, (values (300, 'waiting'), (900, 'sent')) as m (age, state) where a.acknowledged_at is null`);
  const text = await freshMetrics();
  expect(valueOf(text, 'hes_alarm_channel_failures{channel="night shift"}')).toBe(4);
  expect(valueOf(text, 'hes_alarm_channel_failures{channel="holidays"}')).toBeUndefined();
  expect(valueOf(text, 'hes_alarm_messages_waiting')).toBe(1);
  expect(valueOf(text, 'hes_alarm_message_oldest_seconds')).toBeCloseTo(300, -1);
  expect(valueOf(text, 'hes_alarms_unacknowledged')).toBe(1);
  expect(valueOf(text, 'hes_delivery_failures{sender="billing"}')).toBe(6);
  expect(valueOf(text, 'hes_delivery_failures{sender="paused"}')).toBeUndefined();
  expect(valueOf(text, 'hes_delivery_dead_letters{sender="billing"}')).toBe(0);
  expect(valueOf(text, 'hes_certificate_ends_seconds{kind="authority"}')).toBeCloseTo(20 * 86_400, -2);
  expect(valueOf(text, 'hes_certificates_expired{kind="authority"}')).toBe(1);
  expect(valueOf(text, 'hes_queue_items{priority="5"}')).toBe(13);
  expect(valueOf(text, 'hes_queue_oldest_seconds{priority="5"}')).toBeGreaterThanOrEqual(100);
  expect(valueOf(text, 'hes_queue_oldest_seconds{priority="5"}')).toBeLessThan(200);
  expect(valueOf(text, 'hes_gaps{profile="lpa"}')).toBe(2);
  expect(valueOf(text, 'hes_gap_values{profile="lpa"}')).toBe(192);
  expect(valueOf(text, 'hes_incidents_open{level="serious"}')).toBe(2);
  expect(valueOf(text, 'hes_program_token_ends_seconds')).toBeUndefined();
});

test('a database that hangs is asked by one connection at a time, and the statement is ended', async () => {
  const { owner } = bench.database;
  const holder = await owner.connect();
  await holder.query('begin; lock table task');
  const asking = async () =>
    (await owner.query("select pid from pg_stat_activity where wait_event_type = 'Lock' and query like '%from task where finished_at%'"))
      .rows.length;
  const slow = freshMetrics();
  await vi.waitFor(async () => expect(await asking()).toBe(1), SOON);
  expect(valueOf(await slow, 'hes_database_up')).toBe(0);
  await vi.waitFor(async () => expect(await asking()).toBe(0), SOON);
  await holder.query('rollback');
  holder.release();
  expect(valueOf(await freshMetrics(), 'hes_database_up')).toBe(1);
}, 60_000);

test('without a database, metrics of the process remain, and no figure of the installation is shown', async () => {
  const pool = openPool({ connection: { url: 'postgres://nobody@127.0.0.1:1/none' } }, silentLog);
  const text = await freshMetrics(openDb(pool));
  await pool.end();
  expect(valueOf(text, 'hes_database_up')).toBe(0);
  expect(valueOf(text, 'hes_ready')).toBe(1);
  expect(text).not.toMatch(/^hes_(queue_items|endpoints|nodes_alive|gaps)\b/m);
});

const readJson = (file: string) =>
  JSON.parse(readFileSync(join(DEPLOY, 'grafana', file), 'utf8')) as { panels: { targets: { expr: string }[] }[] }; // as: a dashboard of Grafana
const dashboardQueries = readdirSync(join(DEPLOY, 'grafana')).flatMap((file) =>
  readJson(file).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
);
const ALERTS = readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8');

test('dashboards and alerts use only metrics that a head-end declares', async () => {
  const declared = new Set([...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
  const used = new Set([ALERTS, ...dashboardQueries].flatMap((text) => text.match(/\bhes_\w+/g) ?? []));
  const unknown = [...used].filter((name) => !declared.has(name.replace(/_(?:bucket|count|sum)$/, '')));
  expect(used.size).toBeGreaterThan(15);
  expect(unknown).toEqual([]);
});

test.skipIf(!isInstalled('promtool'))('each alert fires on its fault and stays quiet beside it (promtool)', () => {
  const names = [...ALERTS.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const tests = readFileSync(join(DEPLOY, 'prometheus/alerts.test.yml'), 'utf8');
  for (const name of names) expect(tests.split(`alertname: ${name}\n`)).toHaveLength(3);
  execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], { cwd: join(DEPLOY, 'prometheus'), stdio: 'pipe' });
});

test.skipIf(!isInstalled('prometheus'))(
  'Prometheus scrapes a head-end, and each query of the dashboards returns series',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hes-prometheus-'));
    const target = `127.0.0.1:${server.metricsPort}`;
    writeFileSync(
      join(folder, 'prometheus.yml'),
      `global: { scrape_interval: 1s }\nscrape_configs: [{ job_name: hes, static_configs: [{ targets: ['${target}'] }] }]\n`,
    );
    const [port] = await freePorts();
    const prometheus = spawn(
      'prometheus',
      [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
      { stdio: 'ignore' },
    );
    try {
      await readOneMeter('WATCH002');
      const seriesOf = async (query: string): Promise<unknown[]> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(query)}`);
        const { data } = (await answer.json()) as { data: { result: unknown[] } }; // as: the answer of Prometheus to a query
        return data.result;
      };
      for (const query of dashboardQueries)
        await vi.waitFor(async () => expect([query, await seriesOf(query)]).not.toEqual([query, []]), SOON);
    } finally {
      prometheus.kill();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  120_000,
);
