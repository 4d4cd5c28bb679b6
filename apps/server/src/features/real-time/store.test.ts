import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../../test/database.ts';
import { isThreePhase } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

test('the phases of a meter take precedence over those of its type', async () => {
  const { rows } = await database.pool.query<{ id: string; sn: string }>(`
    insert into meter (sn, meter_type_id, communication_mode, phase)
    select n.sn, t.id, 'plc', n.phase from meter_type t, (values ('AS0TYPE', null), ('OWN1PHASE', '1p2w')) as n (sn, phase)
    where t.phase = '3p4w' returning id, sn`);
  const found = await Promise.all(rows.map(async ({ id, sn }) => [sn, await isThreePhase(database.pool, id)]));
  expect(Object.fromEntries(found)).toEqual({ AS0TYPE: true, OWN1PHASE: false });
});
