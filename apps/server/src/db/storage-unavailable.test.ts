import { expect, test, vi } from 'vitest';
import { StorageUnavailable, isStorageUnavailable } from '#platform/storage-unavailable.ts';
import { openPool } from './pool.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase } from '../../test/database.ts';

test('a database that does not listen is unavailable, a wrong statement is not', async () => {
  const nowhere = openPool({ connection: { url: 'postgres://hes@127.0.0.1:1/hes' } }, createLog('silent'));
  const refused: unknown = await nowhere.query('select 1').catch((error: unknown) => error);
  await nowhere.end();
  expect(isStorageUnavailable(refused)).toBe(true);
  expect(isStorageUnavailable(new StorageUnavailable('not written'))).toBe(true);
  expect(isStorageUnavailable(Object.assign(new Error('syntax error'), { code: '42601' }))).toBe(false);
});

test('a connection that the database ended is unavailable', async () => {
  const database = await cloneDatabase();
  const client = await database.pool.connect();
  client.on('error', () => undefined);
  const asleep = client.query('select pg_sleep(30)').catch((error: unknown) => error);
  await vi.waitFor(async () => {
    const ended = await database.owner.query("select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(30)'");
    expect(ended.rowCount).toBe(1);
  });
  expect(isStorageUnavailable(await asleep)).toBe(true);
  client.release(true);
  await database.drop();
});
