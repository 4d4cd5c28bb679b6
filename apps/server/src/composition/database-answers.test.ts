import pg from 'pg';
import { expect, test } from 'vitest';
import { isDatabaseAnswering } from './database-answers.ts';

/** Nothing listens on port 1 of this machine. */
const refused = () => new pg.Pool({ host: '127.0.0.1', port: 1 });

test('the built-in database answers or it does not', async () => {
  const pool = refused();
  expect(await isDatabaseAnswering(pool, true)).toBe(false);
  await pool.end();
});

test('an external database that refuses connections is no reason to restart the head-end', async () => {
  const pool = refused();
  expect(await isDatabaseAnswering(pool, false)).toBe(true);
  await pool.end();
});
