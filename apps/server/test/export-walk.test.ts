import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { registerKeys, keysOf } from '../src/db/handle-keys.ts';
import { SMALL_FLEET } from '../src/db/cached-query.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { findUserOfSession } from '../src/http/access/queries.ts';
import { clockSheet } from '../src/features/clock/export-clocks.ts';
import { relayLogSheet, relaySheet } from '../src/features/relay/export-relays.ts';
import { anomalySheet } from '../src/features/balance/anomaly/export-anomalies.ts';
import { archiveSheet, archiveSummarySheet } from '../src/features/archive/export-archive.ts';
import { dcuSheet } from '../src/features/assets/dcu/export-dcus.ts';
import { foundSheet } from '../src/features/discovery/export-found.ts';
import { assetSheet } from '../src/features/assets/meter/export-assets.ts';
import { supplierSheet } from '../src/features/assets/supplier/transfer-suppliers.ts';
import { transformerSheet } from '../src/features/assets/transformer/transfer-transformers.ts';
import { frameSheet } from '../src/features/diagnostics/dcu-log/export-frames.ts';
import { eventSheet } from '../src/features/events/export-events.ts';
import type { AnyExport } from '../src/transfer/export/define-export.ts';
import { rowsOf } from '../src/transfer/export/rows.ts';
import { auditSheet } from '../src/features/people/audit/export-audit.ts';
import { userSheet } from '../src/features/people/user/export-users.ts';
import { completenessSheet, gapSheet } from '../src/features/readings/export-gaps.ts';
import { dailySheet, profileSheet } from '../src/features/readings/export-readings.ts';
import type { Context, User } from '../src/db/context.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const PART = 9;
const WHOLE = 5000;
const DAY_MS = 86_400_000;
const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const RANGE = { from: dayAgo(3), to: dayAgo(1) };

let app: TestApp;
let user: User;
let ctx: Context;
/** Last values of the statements that leave rows out from the front. */
let skipped: unknown[] = [];

/** Rows of every list in a number that no part divides, and many of them equal in what they are sorted by. */
const ROWS = `
  insert into meter (sn, meter_type_id, transformer_id, dcu_id, communication_mode, inventory_state, customer_no, last_comm_at, last_read_at, relay_state, relay_read_at)
  select 'W' || lpad(n::text, 7, '0'), m.meter_type_id, m.transformer_id, m.dcu_id, 'plc', (array['active', 'installed'])[1 + n % 2], case when n % 5 > 0 then 'C' || n % 4 end,
    case when n % 3 > 0 then now() - make_interval(mins => n % 4) end, case when n % 2 > 0 then now() - make_interval(mins => n % 6) end, 'unknown', null
  from meter m, generate_series(1, 20) n where m.sn = 'MN0002';
  insert into dcu (sn, name, dcu_type_id, transformer_id, connection_type, communicate_type, data_channel, system_title)
  select 'W' || lpad(n::text, 7, '0'), 'DCU ' || n % 3, d.dcu_type_id, d.transformer_id, 'dial_in', 'g4', 'plc', decode(lpad(to_hex(n), 16, '0'), 'hex')
  from dcu d, generate_series(1, 20) n where d.sn = 'DCUN0001';
  insert into transformer (code, name, level_id) select 'W' || n, 'Place ' || n, t.level_id from transformer t, generate_series(1, 20) n where t.code = 'TN';
  insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, received_at, direction, raw, source, dedup_hash)
  select 'meter', m.id, m.dcu_id, 'standard', n % 3, now() - make_interval(mins => n % 4), now(), 'occur', '', 'pull', decode(lpad(to_hex(m.id * 10 + n), 16, '0'), 'hex')
  from meter m, generate_series(1, 2) n;
  insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus) select id, current_date - n, now(), 'meter', 'read', 1 from meter, generate_series(1, 3) n;
  insert into reading_profile (meter_id, profile, day, period_s, present, status, e_plus_wh, read_at, source)
  select id, 'lpa', current_date - 2, 900, 3, '{0, null, 0, 0}', '{1, null, 2, 3}', now(), 'meter' from meter;
  insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at) select id, 'lpa', current_date - n, 1, now(), now(), now() from meter, generate_series(1, 2) n;
  insert into anomaly (meter_id, day, type, value_kwh, reference_kwh) select id, current_date - n, 'upper_limit', n, 1 from meter, generate_series(1, 3) n;
  insert into archive_record (dcu_id, meter_id, sn) select d.id, m.id, m.sn from dcu d, meter m where d.sn like 'DCU%' and m.sn like 'W%' on conflict do nothing;
  insert into dcu_frame_log (dcu_id, at, direction, channel, service, octets) select id, now() - make_interval(mins => n % 4), 'down', 'D', 'get', '\\x00' from dcu, generate_series(1, 30) n where sn = 'DCUN0001';
  insert into supplier (code, name) select 'W' || n, 'Maker ' || n from generate_series(1, 20) n;
  insert into app_user (username, name, password_hash) select 'walk' || n, 'Name ' || n % 3, 'none' from generate_series(1, 30) n;
  insert into device_clock (device_kind, device_id, device_time, read_at, deviation_ms, round_trip_ms) select 'meter', id, '2026-06-01T12:00:00', now(), (id % 5) * 1000, 90 from meter where id % 3 > 0;`;

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { sessionId } = await app.addUser({ roles: ['ADMIN'] });
  const found = await findUserOfSession(app.ctx, sessionId, new Date());
  if (found === undefined) throw new Error('no user is signed in');
  user = found;
  await app.ctx.pool.query(ROWS);
  const plugin = new CamelCasePlugin({ maintainNestedObjectKeys: true });
  registerKeys(plugin, keysOf(app.ctx.db));
  const db = new Kysely<never>({
    dialect: new PostgresDialect({ pool: app.ctx.pool }),
    plugins: [plugin],
    log: ({ query }) => {
      const place = /offset \$(\d+)/.exec(query.sql)?.[1];
      if (place !== undefined) skipped.push(query.parameters[Number(place) - 1]);
    },
  });
  ctx = { ...app.ctx, db: db as unknown as Context['db'] }; // as: the same tables, with an ear
});
afterAll(() => app.close());

async function linesOf(
  kind: AnyExport,
  filter: Record<string, string>,
  partSize: number,
  onRows: (count: number) => void = () => undefined,
  only?: string[],
) {
  const lines: string[] = [];
  for await (const line of rowsOf(kind, ctx, { user, locale: 'en-US', filter, columns: undefined, only, onRows, partSize }))
    lines.push(JSON.stringify(line));
  return lines.slice(1);
}

describe('a file of a long list', () => {
  const up = (...fields: string[]) => fields.flatMap((field) => [`${field},asc`, `${field},desc`]);
  const LISTS: [string, AnyExport, Record<string, string>, string[]][] = [
    ['meters', assetSheet, {}, ['sn,desc', 'customerNo,asc', 'inventoryState,desc', ...up('lastCommAt')]],
    ['DCUs', dcuSheet, {}, ['name,desc', 'lastCommAt,asc']],
    ['transformers', transformerSheet, {}, ['name,desc', 'code,asc']],
    ['clocks', clockSheet, {}, ['sn,asc', 'deviation,desc']],
    ['relays', relaySheet, {}, ['sn,desc', 'readAt,asc']],
    ['relay commands', relayLogSheet, {}, ['']],
    ['archive records', archiveSheet, {}, ['', 'bindState,asc', 'sn,desc']],
    ['discovered meters', foundSheet, {}, ['']],
    ['events', eventSheet, {}, ['occurAt,desc', 'code,asc']],
    ['anomalies', anomalySheet, RANGE, ['day,desc', 'value,asc']],
    ['users', userSheet, {}, ['username,asc', 'name,desc']],
    ['audit entries', auditSheet, {}, ['']],
    ['daily freezes', dailySheet, RANGE, up('freezeDate')],
    ['captures of a profile', profileSheet, { ...RANGE, profile: 'lpa' }, ['']],
    ['gaps', gapSheet, { ...RANGE, profile: 'lpa' }, ['']],
    ['completeness by meter', completenessSheet, { ...RANGE, profile: 'lpa' }, ['']],
  ];

  test.each(LISTS)(
    'has every row of the %s once and in its order, part by part, and no part skips rows to get there',
    async (_, kind, filter, sorts) => {
      for (const sort of sorts) {
        const wanted = sort === '' ? filter : { ...filter, sort };
        skipped = [];
        const inParts = await linesOf(kind, wanted, PART);
        expect(skipped.filter((rows) => Number(rows) > 0)).toEqual([]);
        expect(inParts).toEqual(await linesOf(kind, wanted, WHOLE));
      }
    },
  );

  /** The same list with the keys of its rows as its only column. */
  const keysOf = (kind: AnyExport): AnyExport => ({
    ...kind,
    columns: {
      key: {
        label: { en: 'Key', zh: '键' },
        cell: (row: Record<string, unknown>) => (kind.key ?? ['id']).map((name) => row[name]).join('/'),
      },
    },
  });

  const CHOOSABLE: [string, AnyExport, Record<string, string>, string[]][] = [
    ...LISTS.filter(([name]) =>
      ['meters', 'DCUs', 'transformers', 'clocks', 'relays', 'archive records', 'events', 'users'].includes(name),
    ),
    ['suppliers', supplierSheet, {}, ['code,desc']],
    ['archives of DCUs', archiveSummarySheet, {}, ['']],
  ];

  test.each(CHOOSABLE)(
    'has of the %s only those that were chosen, in the order of the list, however far apart they are',
    async (_, kind, filter, [sort]) => {
      const wanted = { ...filter, ...(sort ? { sort } : {}) };
      const keys = (await linesOf(keysOf(kind), wanted, WHOLE)).map((line) => String((JSON.parse(line) as string[])[0]));
      const lines = await linesOf(kind, wanted, WHOLE);
      expect(lines.length).toBeGreaterThan(PART);
      const third = (_line: string, at: number) => at % 3 === 1;
      const only = [...keys.filter(third).toReversed(), '999999999999'];
      for (const partSize of [PART, WHOLE]) {
        let heard = 0;
        expect(await linesOf(kind, wanted, partSize, (count) => (heard += count), only)).toEqual(lines.filter(third));
        expect(heard).toBe(only.length - 1);
      }
    },
  );

  it('of chosen rows has none outside the filter, none outside the area of who asks, and says in the audit log how many were named', async () => {
    const { rows } = await app.ctx.pool.query<{ id: string; sn: string }>(
      "select id, sn from dcu where sn in ('DCUN0001', 'DCUS0001', 'W0000001') order by sn",
    );
    const north = (await app.ctx.pool.query<{ id: string }>("select id from network_level where code = 'DN'")).rows.map(({ id }) => id);
    const order = async (who: TestUser, filter: object) => {
      const payload = { format: 'csv', filter, rows: rows.map(({ id }) => id), columns: ['sn'] };
      const job = (await app.call(who, { method: 'POST', url: '/api/export/dcu', payload })).json();
      const file = (await app.call(who, { url: `/api/export/${job.id}/file` })).body;
      expect(job.rows).toBe(file.trimEnd().split('\r\n').length - 1);
      return file.replace('\uFEFF', '').trimEnd().split('\r\n').slice(1);
    };
    const all = await app.addUser({ roles: ['ADMIN'] });
    expect(await order(all, { sort: 'sn,desc' })).toEqual(['W0000001', 'DCUS0001', 'DCUN0001']);
    expect(await order(all, { search: 'DCUN' })).toEqual(['DCUN0001']);
    expect(await order(await app.addUser({ scope: north }), {})).toEqual(['DCUN0001', 'W0000001']);
    const audit = (await app.call(all, { url: '/api/manager/audit?size=1' })).json().items;
    expect(audit).toMatchObject([{ action: 'list_exported', detail: { list: 'dcu', chosen: 3 } }]);
    const refused = await app.call(all, { method: 'POST', url: '/api/export/dcu', payload: { format: 'csv', rows: ['1; drop'] } });
    expect(refused.json().code).toBe('VALIDATION');
  });

  it('has frames of a DCU', async () => {
    const { id = '' } = (await app.ctx.pool.query<{ id: string }>("select id from dcu where sn = 'DCUN0001'")).rows[0] ?? {};
    const inParts = await linesOf(frameSheet, { dcuId: id }, PART);
    expect(inParts).toEqual(await linesOf(frameSheet, { dcuId: id }, WHOLE));
    expect(inParts).toHaveLength(30);
  });

  test.each(up('lastCommAt'))('has all meters once by %s, although they talk while it is written', async (sort) => {
    const count = Number((await app.ctx.pool.query('select count(*) as count from meter')).rows[0]?.count);
    const talk = () =>
      void app.ctx.pool.query('update meter set last_comm_at = now() + make_interval(mins => (random() * 100)::int) where random() < 0.5');
    const sns = (await linesOf(assetSheet, { sort }, PART, talk)).map((line) => (JSON.parse(line) as string[])[0]);
    expect(new Set(sns).size).toBe(count);
    expect(sns).toHaveLength(count);
  });

  it('of all meters of a large fleet by last contact does not end where the list can be paged no further', async () => {
    const large = SMALL_FLEET + 1;
    await app.ctx.pool.query(`
      insert into meter (sn, meter_type_id, communication_mode) select 'L' || lpad(n::text, 7, '0'), (select min(id) from meter_type), 'plc' from generate_series(1, ${large}) n`);
    const count = Number((await app.ctx.pool.query('select count(*) as count from meter')).rows[0]?.count);
    expect(await linesOf(assetSheet, { sort: 'lastCommAt,desc' }, WHOLE)).toHaveLength(count);
  });
});
