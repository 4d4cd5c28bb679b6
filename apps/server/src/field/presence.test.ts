import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { Presence } from './presence.ts';

const AT = Date.UTC(2026, 2, 1);

let database: TestDatabase;
let presence: Presence;
let meterId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  await database.pool.query(`
    insert into supplier (code, name) values ('P', 'P');
    insert into southbound_profile (key, name, device_kind, body) values ('p', 'P', 'dcu', '{}');
    insert into meter_type (code, name, supplier_id, phase, profile_id)
      select 'P', 'P', s.id, '1p2w', p.id from supplier s, southbound_profile p where s.code = 'P' and p.key = 'p'`);
});
afterAll(() => database.drop());

let number = 0;
beforeEach(async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    `insert into meter (sn, meter_type_id, communication_mode, marks)
     select $1, id, 'plc', '{"through:lpa": 1, "through:daily": 2}' from meter_type where code = 'P' returning id`,
    [`PRES${number++}`],
  );
  meterId = rows[0]?.id ?? '';
  presence = new Presence(database.pool, createLog('error'));
});

interface Kept {
  heard: string | null;
  counter: string;
  marks: Record<string, number>;
}

/** What the database knows once everything was written. */
async function kept(): Promise<Kept | undefined> {
  await presence.stop();
  const { rows } = await database.pool.query<Kept>(
    'select extract(epoch from last_comm_at)::bigint * 1000 as heard, peer_invocation_counter as counter, marks from meter where id = $1',
    [meterId],
  );
  return rows[0];
}

test('marks are written with the last contact; of two the later holds, and others stay', async () => {
  presence.meterHeard(meterId, AT, 7);
  presence.mark(meterId, 'through:lpa', AT);
  presence.mark(meterId, 'through:lpa', AT - 1000);
  expect(await kept()).toEqual({ heard: String(AT), counter: '7', marks: { 'through:lpa': AT, 'through:daily': 2 } });
});

test('a meter that is heard and not read keeps its marks', async () => {
  presence.meterHeard(meterId, AT, 7);
  expect((await kept())?.marks).toEqual({ 'through:lpa': 1, 'through:daily': 2 });
});

test('what is waiting of a meter that was changed is no longer said of it, but that it was heard', async () => {
  presence.meterHeard(meterId, AT, 7);
  presence.mark(meterId, 'through:lpa', AT);
  presence.forget([meterId]);
  expect(await kept()).toEqual({ heard: String(AT), counter: '-1', marks: { 'through:lpa': 1, 'through:daily': 2 } });
});
