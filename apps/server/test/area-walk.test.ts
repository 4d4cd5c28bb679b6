import { randomBytes, randomUUID } from 'node:crypto';
import { everyRoute } from '@hes/contract/every-route.ts';
import type { Route } from '@hes/contract/core/route.ts';
import { sql, type RawBuilder } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommissioningFile } from '../src/db/seed/commissioning.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { createPartitions } from '../src/db/partitions.ts';
import { packFrames } from '../src/storage/frames.ts';
import { createTask, type NewTask } from '../src/tasks/create-task.ts';
import { sealAll, testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';
import { sampleParams } from './sample-params.ts';

/*
 * Responses to a user of one transformer must not depend on another transformer. The test calls every GET route before and after it adds a second substation with devices, readings, events, runs and bills to the same feeder. Any difference is a leak.
 */

type Side = 'N' | 'S';
const MAC = { N: '0A0E', S: '0A05' };
/** All that carries one of these is the other substation's. */
const FOREIGN = /MS000\d|DCUS0001|Transformer S|District S|0A05|of S\b/;

/** Both substations on one feeder, or the first alone. */
function townOf(sides: readonly Side[]): CommissioningFile {
  const town = smallTown();
  const isOf = (name: string) => sides.some((side) => name.includes(`${side}0`) || name === `T${side}`);
  return {
    ...town,
    levels: town.levels.filter(({ code }) => code !== 'DS' || sides.includes('S')),
    transformers: town.transformers.filter(({ code }) => isOf(code)).map((transformer) => ({ ...transformer, levelCode: 'DN' })),
    dcus: town.dcus.filter(({ sn }) => isOf(sn)),
    meters: town.meters.filter(({ sn }) => isOf(sn)),
  };
}

let app: TestApp;
let limited: TestUser;
const ids = new Map<string, string>();
const idOf = (name: string): string => ids.get(name) ?? `nothing called ${name}`;

async function remember(): Promise<void> {
  const { db } = app.ctx;
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  for (const table of ['networkLevel', 'transformer', 'meterType', 'dcuType', 'supplier', 'role'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
}

async function insert(name: string, statement: RawBuilder<{ id: string }>): Promise<void> {
  const { rows } = await statement.execute(app.ctx.db);
  ids.set(name, rows[0]?.id ?? '');
}

const DAY = '2026-01-01';
/** Its figures do not depend on the minute of the walk. */
const YESTERDAY = new Date(Date.now() - 24 * 3_600_000).toISOString().slice(0, 10);

/** A thing of every kind that belongs to a side: of its DCU, of its master meter, of its customer's meter. */
async function fill(side: Side): Promise<void> {
  const { db } = app.ctx;
  const dcu = idOf(`DCU${side}0001`);
  const [master, meter] = [idOf(`M${side}0001`), idOf(`M${side}0002`)];
  const transformer = idOf(`T${side}`);
  const run = (statement: RawBuilder<unknown>) => statement.execute(db);
  const task = async (kind: NewTask['kind'], createdBy: string | null) => {
    const items = [{ deviceKind: 'meter' as const, dcuId: dcu, meterId: meter }];
    const order = { kind, source: 'user' as const, title: `Run of ${side}`, params: sampleParams(kind), priority: 5, createdBy, items };
    return (await db.transaction().execute((tx) => createTask(tx, order))).id;
  };
  ids.set(`task ${side}`, await task('lpa', side === 'N' ? limited.id : null));
  ids.set(`trace ${side}`, randomUUID());
  await db
    .insertInto('trace')
    .values({ id: idOf(`trace ${side}`), dcuId: dcu, meterId: meter, frames: packFrames([]), bytes: 0, durationMs: 0 })
    .execute();
  await run(sql`update dcu set online_status = 'online', last_comm_at = now(), created_at = now() - interval '3 days' where id = ${dcu}`);
  await run(sql`update meter set inventory_state = 'active', last_comm_at = now(), last_read_at = now() where dcu_id = ${dcu}`);
  // One customer with a supply on both sides.
  await run(sql`update meter set customer_no = 'C100', customer_name = ${`Customer of ${side}`} where id = ${meter}`);
  await insert(
    `exchange ${side}`,
    sql`with e as (insert into meter_exchange (at, old_meter_id, transformer_id, customer_no, note)
        values (now(), ${master}, ${transformer}, 'C100', ${`of ${side}`}) returning id),
      p as (insert into meter_exchange_photo (exchange_id, media_type, octets, taken_by, created_at)
        select id, 'image/png', '\\x89', 0, now() from e) select id from e`,
  );
  await run(sql`insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at)
    values (${dcu}, 'dial_in', ${`of ${side}`}, now() - interval '2 days', now() - interval '2 days')`);
  await run(sql`insert into topology_node (dcu_id, mac, node_id, sn, level, role, phase, link, signal_value, last_seen_at, is_online)
    values (${dcu}, ${MAC[side]}, 2, ${`M${side}0001`}, 1, 'sta', 'a', 'plc', 20, now(), true)`);
  await run(sql`insert into plc_module (mac, dcu_id, role, chip_id, vendor, hw_version, sw_version, boots, uptime_s, read_at, raw)
    values (${MAC[side]}, ${dcu}, 'sta', 'x', 'x', 'x', 'x', 1, 1, now(), '{}')`);
  await insert(
    `event ${side}`,
    sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash, abnormal_level)
      values ('meter', ${meter}, ${dcu}, 'standard', 1, now(), 'occur', '', 'pull', ${Buffer.from(side)}, 'serious') returning id`,
  );
  await run(sql`insert into event_mute (device_kind, device_id, log, code, until, reason, muted_by)
    values ('meter', ${meter}, 'standard', 9, now() + interval '1 hour', ${`of ${side}`}, 0)`);
  await run(sql`insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at)
    values (${meter}, 'daily', ${DAY}, 1, ${`${DAY}T00:00:00Z`}, ${`${DAY}T00:00:00Z`}, now())`);
  await run(
    sql`insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus) values (${meter}, ${DAY}, now(), 'meter', 'read', 7)`,
  );
  await run(sql`insert into reading_profile (meter_id, profile, day, period_s, present, status, p_avg_plus_w, read_at, source)
    values (${master}, 'lpa', current_date, 900, 96, array_fill(0, array[96]), array_fill(1000, array[96]), now(), 'meter')`);
  await run(sql`insert into arrival_day (dcu_id, profile, begins, got) select ${dcu}, p, date_trunc('day', now()) + d * interval '1 day' - interval '8 hours', array_fill(4, array[24])
    from unnest(array['lpa', 'daily']) p, generate_series(-3, 1) d`);
  await run(
    sql`insert into archive_record (dcu_id, meter_id, sn, idx, bind_state) values (${dcu}, ${meter}, ${`M${side}0002`}, 2, 'bound') on conflict do nothing`,
  );
  await insert(
    `search ${side}`,
    sql`insert into discovery_run (dcu_id, task_id, mode, state, ends_at) values (${dcu}, ${await task('discovery', null)}, 'both', 'searching', now() + interval '1 hour') returning id`,
  );
  await run(sql`insert into discovered_meter (run_id, dcu_id, sn, address, protocol, comm_mode, phase, hops, first_seen, last_seen)
    values (${idOf(`search ${side}`)}, ${dcu}, ${`M${side}0009`}, 'x', 'dlms', 'plc', 'a', 1, now(), now())`);
  await run(sql`insert into energy_balance (transformer_id, day, supply_kwh, sold_kwh, plus_kwh, minus_kwh, missing_kwh, meters_expected, meters_data)
    values (${transformer}, ${DAY}, 100, 80, 80, 0, 0, 1, 1)`);
  await run(
    sql`insert into bill_line (period_id, meter_id, transformer_id, ratio, status, calculated_at) values (${idOf('period')}, ${meter}, ${transformer}, 1, 'missing', now())`,
  );
  await run(sql`insert into anomaly (meter_id, day, type, value_kwh, reference_kwh) values (${meter}, ${DAY}, 'upper_limit', 9, 1)`);
  await run(sql`insert into phase_result (meter_id, transformer_id, computed_at) values (${meter}, ${transformer}, now())`);
  await insert(
    `frame ${side}`,
    sql`insert into dcu_frame_log (dcu_id, at, direction, channel, service, octets) values (${dcu}, now(), 'down', 'D', 'getRequest', '\\x00') returning id`,
  );
  await run(sql`insert into dcu_capture (dcu_id, level, ends_at) values (${dcu}, 'all', now() + interval '1 hour')`);
  await run(
    sql`insert into topology_switch (dcu_id, task_id, operation, reason, started_at) values (${dcu}, ${await task('topology_switch', null)}, 'report_on', ${`of ${side}`}, now())`,
  );
  const relayTask = await task('relay_disconnect', null);
  await run(sql`
    with t as (update task set state = 'waiting_approval' where id = ${relayTask} returning id),
    o as (insert into relay_order (task_id, request_id, operation, requested_by, reason, work_order, needs_approval, meters, power_w)
      select id, gen_random_uuid(), 'disconnect', 0, ${`of ${side}`}, 'x', true, 1, 1000 from t returning task_id),
    c as (insert into relay_command (task_id, meter_id, operation, requested_by, needs_approval, seal)
      select task_id, ${meter}, 'disconnect', 0, true, '\\x00' from o returning task_id)
    insert into approval (task_id, requested_by, expires_at) select task_id, 0, now() + interval '1 hour' from c`);
  await insert(
    `record ${side}`,
    sql`with j as (insert into upgrade_job (name, reason, firmware_id, target_kind, rings, continue_by, watch_minutes, concurrency, halt_rule, created_by)
        values (${`Upgrade of ${side}`}, 'x', ${idOf('firmware')}, 'meter', 1, 'itself', 0, 1, '{"failPercent":5,"silentPercent":3,"readDropPercent":10}', 0) returning id)
      insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, status, new_version)
      select j.id, 'meter', 'meter', ${meter}, ${dcu}, 1, 'complete', 'x' from j returning id`,
  );
  await insert(
    `certificate ${side}`,
    sql`with m as (update meter set system_title = ${Buffer.from(`METER..${side}`)} where id = ${meter} returning system_title)
      insert into certificate (kind, usages, suite, subject, system_title, public_key, octets, issuer, valid_from, valid_to, fingerprint, created_at)
      select 'device', '{digital_signature}', 1, ${`Meter of ${side}`}, system_title, ${randomBytes(64)}, '\\x30', 'CA', now(), now(), ${randomBytes(32)}, now()
      from m returning id`,
  );
  await insert(`job ${side}`, sql`select job_id as id from upgrade_record where id = ${idOf(`record ${side}`)}`);
  await run(sql`insert into collect_plan (name, type, schedule, target_kind, target_ids, enabled)
    values (${`Plan of ${side}`}, 'daily', '0 0 0 * * ? *', 'dcu', array[${dcu}::bigint], false)`);
}

/** A meter that was placed at the other substation by hand, behind the DCU of the first. */
async function placeAcross(): Promise<void> {
  await sql`update meter set dcu_id = ${idOf('DCUN0001')} where id = ${idOf('MS0001')}`.execute(app.ctx.db);
  const items = [{ deviceKind: 'meter' as const, dcuId: idOf('DCUN0001'), meterId: idOf('MS0001') }];
  await sql`insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash, abnormal_level)
    values ('meter', ${idOf('MS0001')}, ${idOf('DCUN0001')}, 'standard', 1, now(), 'occur', '', 'pull', ${Buffer.from('across')}, 'serious')`.execute(
    app.ctx.db,
  );
  await sql`insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, status, new_version)
    values (${idOf('job N')}, 'meter', 'meter', ${idOf('MS0001')}, ${idOf('DCUN0001')}, 1, 'complete', 'x')`.execute(app.ctx.db);
  await sql`insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id)
    select id, kind, priority, ${items[0]?.deviceKind ?? ''}, ${idOf('DCUN0001')}, ${idOf('MS0001')} from task where id = ${idOf('task N')}`.execute(
    app.ctx.db,
  );
}

const gets = Object.values(everyRoute)
  .flatMap((group): Route[] => Object.values(group))
  .filter((route) => route.method === 'GET' && route.allow !== 'public');

/**
 * Routes outside every area: templates of lists, the user's own files, and senders and alarms, which only users of the whole network see. Documents contain data of other routes and the current
 * minute, and signing requests of the head-end have another signature each time.
 */
const isOutside = ({ path }: Route): boolean =>
  /^\/(?:import|export)\/.*(?:template|result|file)$/.test(path) ||
  /\/(?:report|statement|request)$|^\/manager\/(?:sender|alarm|identity-provider)/.test(path);

/** Value of the first parameter of a path, by the first matching prefix. */
const OWN: [beginning: string, word: () => string][] = [
  ['/asset/meter-type/', () => idOf('ONE')],
  ['/asset/dcu-type/', () => idOf('DCU1')],
  ['/asset/supplier/', () => idOf('ACME')],
  ['/asset/certificate/', () => idOf('certificate N')],
  ['/asset/exchange/', () => idOf('exchange N')],
  ['/asset/transformer/', () => idOf('TN')],
  ['/asset/connecting/', () => idOf('DCUN0001')],
  ['/asset/dcu/', () => idOf('DCUN0001')],
  ['/asset/meter/', () => idOf('MN0002')],
  ['/status/dcu/', () => idOf('DCUN0001')],
  ['/status/transformer/', () => idOf('TN')],
  ['/status/meter/', () => idOf('MN0002')],
  ['/reading/obis/code/', () => '1'],
  ['/reading/plan/', () => '1'],
  ['/reading/profile/', () => 'lpa'],
  ['/reading/', () => idOf('MN0002')],
  ['/task/', () => idOf('task N')],
  ['/trace/', () => idOf('trace N')],
  ['/event/', () => idOf('event N')],
  ['/network/topology/', () => idOf('DCUN0001')],
  ['/debug/topology', () => idOf('DCUN0001')],
  ['/debug/sta/', () => MAC.N],
  ['/debug/dcu-log/frame/', () => idOf('frame N')],
  ['/action/dcu-config/', () => idOf('DCUN0001')],
  ['/analysis/phase/', () => idOf('TN')],
  ['/analysis/anomaly/limit/', () => idOf('MN0002')],
  ['/analysis/bill/', () => idOf('period')],
  ['/upgrade/firmware/', () => idOf('firmware')],
  ['/upgrade/job/', () => idOf('job N')],
  ['/upgrade/record/', () => idOf('record N')],
  ['/manager/user/', () => limited.id],
  ['/manager/program/', () => idOf('program N')],
  ['/manager/role/', () => idOf('ADMIN')],
  ['/manager/setting/', () => 'signal'],
  ['/manager/dictionary/', () => 'signal'],
];
const INNER: Record<string, () => string> = { mac: () => MAC.N, meterId: () => idOf('MN0002'), taskId: () => idOf('task N') };

const RANGE = `from=${DAY}&to=${DAY}`;
const MUST_SAY: Record<string, () => string> = {
  '/asset/tree/path': () => `node=meter:${idOf('MN0002')}`,
  '/network/topology/{dcuId}/diff': () => 'from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
  '/reading/plan/choice': () => 'kind=meter',
  '/status/customer': () => 'no=C100',
  '/status/customer/search': () => 'text=C100',
  '/reading/{meterId}/corrections': () => `${RANGE}&profile=lpa`,
  '/dashboard/summary': () => `date=${YESTERDAY}`,
  '/upgrade/record/by-dcu': () => `jobId=${idOf('job N')}`,
  '/debug/sta/{mac}/ping': () => `taskId=${idOf('task N')}&dcuId=${idOf('DCUN0001')}`,
};
const ofDcu = () => `dcuId=${idOf('DCUN0001')}`;
function queryOf({ path }: Route): string {
  const own = MUST_SAY[path];
  if (own !== undefined) return own();
  if (/^\/debug\/(?:sta|dcu-log(?:$|\/ndjson))|^\/asset\/archive\/log/.test(path)) return ofDcu();
  if (path.startsWith('/analysis/phase')) return `${RANGE}&transformerId=${idOf('TN')}&moves=1`;
  return /^\/(?:reading\/(?:daily|profile|completeness|gap)|analysis)/.test(path) ? RANGE : '';
}

function urlOf(route: Route): string {
  let isFirst = true;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const word = isFirst ? OWN.find(([beginning]) => route.path.startsWith(beginning))?.[1]() : INNER[name]?.();
    isFirst = false;
    if (word === undefined) throw new Error(`${route.path} stands for nothing in this test: say what`);
    return word;
  });
  const query = queryOf(route);
  return `/api${path}${query === '' ? '' : `?${query}`}`;
}

/** Removes instants, cursors of feeds and today's expected counts, because time passes between the walks. */
const timeless = (body: string): string =>
  body
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)/g, 'some time')
    .replaceAll(/"next":"ey[\w-]+"/g, '"next":"some cursor"')
    .replaceAll(/"(online|known)Seconds":[1-9]\d*/g, '"$1Seconds":"some time"')
    .replaceAll(/"(lpa|daily)Expected":\d+/g, '"$1Expected":0');

interface Answer {
  status: number;
  body: string;
}

async function walk(user: TestUser): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (const route of gets.filter((one) => !isOutside(one))) {
    const answer = await app.call(user, { url: urlOf(route) });
    answers.set(route.path, { status: answer.statusCode, body: timeless(answer.body) });
  }
  return answers;
}

/** Content of a DCU belongs to the area of the DCU, also for a meter at another transformer (decision 83). */
const OF_THE_DCU = new Set([
  '/network/topology',
  '/debug/sta-model',
  '/debug/sta-model/summary',
  '/debug/topology-switch/{dcuId}',
  '/asset/dcu',
  '/asset/dcu/{id}',
  '/status/dcu/{id}',
  '/asset/archive',
  '/asset/archive/summary',
  '/asset/transformer/dcu',
  '/asset/transformer/{id}',
  '/reading/completeness/dcus',
  '/dashboard/archives',
]);

/** The walk downloads a firmware file, which the audit log tells. */
const OWN_TRACES = new Set(['/manager/audit', '/manager/audit/verification']);

/** Routes of objects that the fixture lacks. They are called because a leak would be a response. */
const EMPTY_HANDED = new Set(['/asset/meter-type/{id}/learnt/{taskId}', '/debug/sta/{mac}/ping', '/upgrade/firmware/{id}/file']);

let before: Map<string, Answer>;
let after: Map<string, Answer>;
let across: Map<string, Answer>;

beforeAll(async () => {
  app = await testApp();
  await createPartitions(app.ctx.pool, Date.parse(DAY));
  await importCommissioning(app.ctx, townOf(['N']));
  await remember();
  await insert(
    'period',
    sql`insert into bill_period (kind, first_day, last_day, state) values ('day', ${DAY}, ${DAY}, 'calculated') returning id`,
  );
  await insert(
    'firmware',
    sql`with x as (insert into firmware_file (name, size, sha256, format) values ('x.bin', 1, 'x', 'bin') returning id)
      insert into firmware (name, version, upgrade_protocol, supplier_id, target_kind, type_ids, image_identifier, block_size, upgrade_reason, file_provider, file_id,
        created_by, touched_by)
      select 'x', 'x', 'dlms_image', ${idOf('ACME')}, 'meter', array[${idOf('ONE')}::bigint], 'x', 256, 'x', 'x', x.id, 0, '{0}' from x returning id`,
  );
  limited = await app.addUser({ transformers: [idOf('TN')] });
  const program = await app.addUser({ transformers: [idOf('TN')] });
  ids.set('program N', program.id);
  await app.ctx.db.updateTable('appUser').set({ kind: 'program' }).where('id', '=', program.id).execute();
  await sealAll(app.ctx);
  await fill('N');
  before = await walk(limited);
  await importCommissioning(app.ctx, townOf(['N', 'S']));
  await remember();
  await fill('S');
  after = await walk(limited);
  await placeAcross();
  across = await walk(limited);
}, 120_000);
afterAll(() => app.close());

describe('a user of one transformer', () => {
  test('is answered by every list and every thing of the own area', () => {
    const refused = [...before].filter(([path, { status }]) => status !== 200 && !EMPTY_HANDED.has(path));
    expect(refused).toEqual([]);
    expect(before.size).toBeGreaterThan(110);
  });

  const differing = (now: Map<string, Answer>, shown: (body: string) => string = (body) => body) =>
    [...now]
      .map(([path, { body }]) => ({ path, before: shown(before.get(path)?.body ?? ''), after: shown(body) }))
      .filter((pair) => !OWN_TRACES.has(pair.path) && pair.before !== pair.after);
  const telling = (now: Map<string, Answer>) =>
    [...now].filter(([, { body }]) => FOREIGN.test(body)).map(([path, { body }]) => `${path} ${FOREIGN.exec(body)?.[0] ?? ''}`);

  test('is answered the same, count by count, when a second transformer has devices, readings, runs and bills', () => {
    expect(differing(after)).toEqual([]);
    expect(telling(after)).toEqual([]);
  });

  test('sees of a meter that was placed at another transformer what the DCU holds, and nothing of the meter', () => {
    // Of the worst DCUs the dashboard counts all readings that they should have brought.
    const shown = (body: string) => body.replace(/"worstDcus":\[.*?\]/, '');
    expect(differing(across, shown).filter(({ path }) => !OF_THE_DCU.has(path))).toEqual([]);
    expect(telling(across).filter((line) => !OF_THE_DCU.has(line.split(' ')[0] ?? ''))).toEqual([]);
  });
});
