import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listMigrations, schemaOf, type Migration } from '../../src/db/migration.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 20_000, interval: 50 };
const base = listMigrations();
const number = schemaOf(base);
const next = (offset: number, sql: string, phase: Migration['phase']): Migration => ({
  number: number + offset,
  name: `${number + offset}_next.sql`,
  sql,
  phase,
});
/** A release that gives meters another column in place of a table. */
const NEWER = [
  ...base,
  next(1, 'alter table meter add column colour text', { kind: 'expand' }),
  next(
    2,
    `with batch as (select id from meter where colour is null order by id limit 10 for update skip locked)
     update meter m set colour = 'grey' from batch where m.id = batch.id`,
    { kind: 'backfill' },
  ),
  next(3, 'drop table colour_of_meter', { kind: 'contract', needs: number + 1 }),
];

let bench: ServerBench;
let older: Server;
let newer: Server;
beforeAll(async () => {
  bench = await serverBench();
  await bench.database.owner.query('create table colour_of_meter (meter_id bigint)');
  older = await bench.server('older');
}, 120_000);
afterAll(() => bench.close());

const rowsOf = async (statement: string) => (await bench.database.owner.query<Record<string, unknown>>(statement)).rows;
const appliedOf = async () =>
  (await rowsOf(`select phase from schema_migration where number > ${number} order by number`)).map(({ phase }) => phase);
const readiness = async ({ base: at }: Server) => (await fetch(`http://${at}/readyz`)).status;

test('an older head-end goes on collecting and serving while a newer one migrates, and its life holds the contraction back', async () => {
  const { meters, meterIds } = await bench.register('MIXED001', 30);
  older.dial('MIXED001', meters);
  const user = await bench.app.addUser({ roles: ['ADMIN'] });
  newer = await bench.server('newer', {}, NEWER);
  await vi.waitFor(async () => expect(await appliedOf()).toEqual(['expand', 'backfill']), SOON);
  expect(await rowsOf('select count(*)::int as n from meter where colour is null')).toEqual([{ n: 0 }]);
  // The newer one takes the order, and the older one has the device.
  const ordered = await newer.call(user, 'POST', '/action/read/on-demand', { meterIds, items: ['E_PLUS'] });
  const { taskId } = ordered.body as { taskId: string }; // as: the contract's answer
  const states = `select state, count(*)::int as n from task_item where task_id = ${Number(taskId)} group by state`;
  await vi.waitFor(async () => expect(await rowsOf(states)).toEqual([{ state: 'read_success', n: 30 }]), SOON);
  for (const server of [older, newer]) {
    expect((await server.call(user, 'GET', '/manager/node')).status).toBe(200);
    expect(await readiness(server)).toBe(200);
  }
  expect(await rowsOf('select name, schema from node where ended_at is null order by name')).toEqual([
    { name: 'newer', schema: number + 3 },
    { name: 'older', schema: number },
  ]);
}, 60_000);

test('an older head-end starts again on the expanded schema, and no more once it is contracted', async () => {
  await older.stop();
  const again = await bench.server('older-again');
  expect(await readiness(again)).toBe(200);
  await again.stop();
  await newer.stop();
  newer = await bench.server('newer', {}, NEWER);
  await vi.waitFor(async () => expect(await appliedOf()).toEqual(['expand', 'backfill', 'contract']), SOON);
  await expect(bench.server('older-late')).rejects.toThrow(
    /written by a newer version of the head-end, and this one does not work with it/,
  );
  expect(await readiness(newer)).toBe(200);
}, 60_000);
