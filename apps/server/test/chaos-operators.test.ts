import { afterAll, beforeAll, expect, test } from 'vitest';
import { Operators } from '../../../tools/chaos/operators.ts';
import { findBroken, findBrokenSessions, sealEverything } from '../src/db/right-seals.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  await database.db.transaction().execute((tx) => sealEverything(tx));
});
afterAll(() => database.drop());

test('a head-end never sees an operator of the chaos campaign without seals, whose sessions it would end', async () => {
  const { pool, db } = database;
  const operators = new Operators({ pool: () => pool, masterKey: () => TEST_MASTER_KEY, now: () => Date.now(), httpPort: () => 1 });
  const seen = new Set<string>();
  let areMade = false;
  const watching = (async () => {
    while (!areMade) {
      for (const { subject } of await findBroken(db)) seen.add(`${subject.kind} ${subject.id}`);
      for (const { id } of await findBrokenSessions(db, new Date())) seen.add(`session ${id}`);
    }
  })();
  // Each order needs the whole quota of one user.
  for (let call = 0; call < 8; call++) await operators.call('POST', '/action/relay', {}, 10);
  areMade = true;
  await watching;
  expect([...seen]).toEqual([]);
  const { rows } = await pool.query(
    "select from user_session s join app_user u on u.id = s.user_id where u.username like 'u%' and s.seal is not null",
  );
  expect(rows).toHaveLength(8);
});
