import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { finishItems, type FinishedItem } from './queries.ts';

const LEASED = 3000;
const OWNER = 'me';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  // As in the night: the statistics are from before anything was leased.
  await database.pool.query(`
    insert into task (kind, source, title, total) values ('collect', 'plan', 'Night', 20000);
    insert into task_item (task_id, kind, priority, device_kind, dcu_id) select t.id, 'collect', 5, 'meter', 1 from task t, generate_series(1, 20000);
    analyze task_item;
    update task_item set state = 'reading', lease_owner = '${OWNER}', lease_until = now() where id in (select id from task_item order by id limit ${LEASED})`);
});
afterAll(() => database.drop());

const endOf = (id: string): FinishedItem => ({
  id,
  state: 'read_success',
  reasonCode: null,
  reasonText: null,
  latencyMs: 1,
  result: { rows: 96 },
  traceId: null,
  againInMs: 0,
});

/** The plan of the statement that is asked of the pool. */
function explaining(pool: Pool): { pool: Pool; plan: () => string } {
  let plan = '';
  const query = async ({ text, values }: { text: string; values: unknown[] }) => {
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
    plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return { rows: [] };
  };
  return { pool: { query } as unknown as Pool, plan: () => plan }; // as: one query is asked of it
}

test('ends are joined to their items, where going through all that is leased for each of them took fifty times as long', async () => {
  const found = await database.pool.query<{ id: string }>('select id from task_item order by id limit 500');
  const ends = found.rows.map(({ id }) => endOf(id));
  const explained = explaining(database.pool);
  await finishItems(explained.pool, OWNER, ends);
  expect(explained.plan()).toContain('Update on task_item');
  expect(explained.plan()).not.toMatch(/Join Filter: .*\bi\.id\b/);
  expect(await finishItems(database.pool, 'somebody else', ends)).toEqual([]);
  expect(await finishItems(database.pool, OWNER, ends)).toHaveLength(ends.length);
  expect(await finishItems(database.pool, OWNER, ends)).toEqual([]);
});
