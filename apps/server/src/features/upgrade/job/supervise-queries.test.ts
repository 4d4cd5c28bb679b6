import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../../../test/database.ts';
import { readSuccess } from './supervise-queries.ts';

const METERS = 20;

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  const client = await database.owner.connect();
  try {
    // References to job, firmware and devices are of no account here.
    await client.query(`
      set session_replication_role = replica;
      insert into upgrade_record (job_id, target_kind, device_kind, device_id, dcu_id, ring, new_version, status, started_at, finished_at)
        select 1, 'meter', 'meter', n, 1, 1, '2', 'complete', now() - interval '2 hours', now() - interval '1 hour' from generate_series(1, ${METERS}) n;
      set session_replication_role = origin;
      insert into task (kind, source, title, total) values ('collect', 'plan', 'Night', ${2 * METERS});
      insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_ids, state, finished_at)
        select t.id, 'collect', 5, 'meter', 1, part.meters, part.state, now() - part.ago from task t, (values
          ((select array_agg(n) from generate_series(1::bigint, ${METERS}) n), 'read_success', interval '3 hours'),
          ((select array_agg(n) from generate_series(1::bigint, 5) n), 'read_success', interval '10 minutes'),
          ((select array_agg(n) from generate_series(6::bigint, ${METERS}) n), 'read_fail', interval '10 minutes'),
          ('{777}', 'read_fail', interval '10 minutes')) as part (meters, state, ago)`);
  } finally {
    client.release(true);
  }
});
afterAll(() => database.drop());

test('readings of plans, which the meters of a DCU share, tell whether upgraded meters are read worse than before', async () => {
  const found = await database.db.transaction().execute((tx) => readSuccess(tx, '1'));
  expect(found).toEqual({ before: 100, after: 25, of: METERS });
});
