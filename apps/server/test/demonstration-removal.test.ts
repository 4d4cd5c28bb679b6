import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveNames, storedDemonstration } from '../src/composition/demonstration.ts';
import { OF_ENDPOINT, OF_METER } from '../src/composition/demonstration-queries.ts';
import { wantsDemo } from '../src/composition/demo.ts';
import { DEMO_SETTING, findSetting, saveSetting } from '../src/db/settings.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

/** Logs that have to outlive what they tell of. */
const LASTING = ['audit_log', 'command_log', 'command_trace', 'device_key_log', 'relay_sent'];
const CONFIG = { demo: 'auto', host: '127.0.0.1', dlmsHost: '127.0.0.1' } as const;

let app: TestApp;
let admin: TestUser;
let stops = 0;
beforeAll(async () => {
  app = await testApp();
  const world = smallTown();
  await importCommissioning(app.ctx, world);
  await saveNames(app.ctx.db, world);
  await saveSetting(app.ctx.db, DEMO_SETTING, true);
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const rows = async <T extends object>(text: string, values: unknown[] = []) => (await app.owner.query<T>(text, values)).rows;
const removal = () => storedDemonstration(app.ctx, () => Promise.resolve(void stops++));
const who = () => ({ user: { id: admin.id } as never, ip: '127.0.0.1' }); // as: only the id is recorded

/** Every table with this column, except views and partitions. */
const tablesWith = (column: string) =>
  rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = $1 and c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace`,
    [column],
  );

/** One row about a meter of the demonstration in every table that has one, as far as its other columns have defaults. */
async function fill(): Promise<void> {
  const [meter] = await rows<{ id: string; dcuId: string }>('select id, dcu_id as "dcuId" from meter where dcu_id is not null limit 1');
  const values = [meter?.id, meter?.dcuId];
  await app.owner.query(
    `insert into event (device_kind, meter_id, dcu_id, source, log, code, direction, occur_at, message, raw, dedup_hash)
     values ('meter', $1, $2, 'push', 'standard', 1, 'occur', now() - interval '1 hour', 'x', '', '')`,
    values,
  );
  await app.owner.query('insert into meter_latest (meter_id) values ($1)', [meter?.id]);
  await app.owner.query("insert into dcu_session (dcu_id, direction, remote) values ($1, 'dial_in', 'x')", [meter?.dcuId]);
  const [task] = await rows<{ id: string }>("insert into task (kind, source, title) values ('registers', 'user', 'x') returning id");
  await app.owner.query(
    "insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id) values ($3, 'registers', 3, 'meter', $2, $1)",
    [...values, task?.id],
  );
}

/** A device of the utility at a transformer of the demonstration. */
const registerOwn = () =>
  app.owner.query(
    `insert into dcu (sn, name, dcu_type_id, transformer_id) select 'OWN00001', 'Own', (select id from dcu_type where builtin_key is not null limit 1), t.id
     from transformer t order by t.code limit 1`,
  );

test('the demonstration is removed with everything stored about it, and nothing else', async () => {
  await fill();
  await registerOwn();
  const demonstration = removal();
  const before = await demonstration.find();
  expect(before).toMatchObject({ state: 'present' });
  expect(before?.dcus).toBeGreaterThan(0);

  await demonstration.remove(who(), 'we begin');
  await demonstration.removed();

  expect(stops).toBe(1);
  expect(await demonstration.find()).toBeUndefined();
  expect(await rows('select sn from dcu')).toEqual([{ sn: 'OWN00001' }]);
  expect(await rows('select id from meter')).toEqual([]);
  expect(await rows('select id from transformer')).toHaveLength(1);
  const left: string[] = [];
  for (const { name } of await tablesWith('meter_id'))
    if (!LASTING.includes(name) && (await rows(`select from "${name}" where meter_id is not null limit 1`)).length > 0) left.push(name);
  for (const { name } of await tablesWith('dcu_id'))
    if (!LASTING.includes(name) && (await rows(`select from "${name}" where dcu_id is not null limit 1`)).length > 0) left.push(name);
  expect(left).toEqual([]);
  expect(await rows('select id from task')).toEqual([]);
  expect(await rows("select action, detail->>'reason' as reason from audit_log where action = 'demonstration_removed'")).toEqual([
    { action: 'demonstration_removed', reason: 'we begin' },
  ]);
});

test('a removed demonstration does not begin again by itself, but on demand', async () => {
  expect(await findSetting(app.ctx.db, DEMO_SETTING)).toBe('removed');
  await app.owner.query("delete from endpoint where sn = 'OWN00001'");
  expect(await wantsDemo(app.ctx, CONFIG)).toBe(false);
  expect(await wantsDemo(app.ctx, { ...CONFIG, demo: 'on' })).toBe(true);
});

test('each table with rows about a device is emptied by the removal or by a foreign key', async () => {
  const keyed = await rows<{ name: string }>(
    `select distinct c.conrelid::regclass::text as name from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
     where c.contype = 'f' and a.attname in ('meter_id', 'dcu_id')`,
  );
  const covered = new Set([...keyed.map(({ name }) => name), ...OF_METER, ...OF_ENDPOINT, ...LASTING, 'task_item']);
  const about = [...(await tablesWith('meter_id')), ...(await tablesWith('dcu_id'))].map(({ name }) => name);
  expect(about.length).toBeGreaterThan(20);
  expect(about.filter((name) => !covered.has(name))).toEqual([]);
});

test('HES_DEMO=remove takes a demonstration out at the start, as no user, and once', async () => {
  const world = smallTown();
  await importCommissioning(app.ctx, world);
  await saveNames(app.ctx.db, world);
  await saveSetting(app.ctx.db, DEMO_SETTING, true);

  await removal().removeAtStart();
  await removal().removeAtStart();

  expect(await rows('select id from meter')).toEqual([]);
  expect(await wantsDemo(app.ctx, { ...CONFIG, demo: 'remove' })).toBe(false);
  expect(
    await rows("select user_id as user from audit_log where action = 'demonstration_removed' and detail->>'reason' = 'HES_DEMO=remove'"),
  ).toEqual([{ user: null }]);
});
