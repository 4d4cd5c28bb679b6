import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { openConnections, openPool } from './pool.ts';

/** Waits until no other transaction holds the row. */
const TAKE = 'select from role order by id limit 1 for update';

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());

test('a transaction whose client has fallen silent ends, and others get its lock', async () => {
  const silent = openPool({ connection: { url: database.url }, max: 1, idleTransactionMs: 200 }, silentLog);
  const client = await silent.connect();
  await client.query('begin');
  await client.query(TAKE);
  await database.pool.query(TAKE);
  await expect(client.query('select 1')).rejects.toThrow(/terminat|not queryable/);
  client.release();
  expect((await silent.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await silent.end();
});

test('connections of a head-end hold the locks of a transaction for ten seconds of silence at most', async () => {
  const { pool, background, end } = openConnections({ url: database.url }, silentLog);
  for (const one of [pool, background.pool]) {
    const { rows } = await one.query<{ limit: string }>("select current_setting('idle_in_transaction_session_timeout') as limit");
    expect(rows).toEqual([{ limit: '10s' }]);
  }
  await end();
});
