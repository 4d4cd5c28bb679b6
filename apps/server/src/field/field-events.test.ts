import { FIELD_EVENT, stateLine } from '@hes/contract/states/field-event.ts';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { FieldEvents } from './field-events.ts';

const RETRY_MS = 20;

let database: TestDatabase;
let dcuId = '';
beforeAll(async () => {
  database = await cloneDatabase();
  await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into dcu (sn, name, dcu_type_id) select 'EVENTDCU01', 'D', id from dcu_type where code = 'P' returning id",
  );
  dcuId = rows[0]?.id ?? '';
});
afterAll(() => database.drop());

const storedEvents = async (): Promise<unknown[]> =>
  (await database.pool.query('select code, message from event where dcu_id = $1 order by id', [dcuId])).rows;

/** Events with a database that is unreachable until `mend` is called. */
function eventsOverBroken(): { events: FieldEvents; mend(): void } {
  let isMended = false;
  const pool = new Proxy(database.pool, {
    get: (target, name: keyof Pool) => {
      if (name === 'connect' && !isMended) return () => Promise.reject(new Error('Connection terminated'));
      const found: unknown = target[name];
      return typeof found === 'function' ? found.bind(target) : found;
    },
  });
  const ctx = { pool, bus: createBus(), clock: systemClock, log: createLog('silent') };
  return { events: new FieldEvents(ctx, new EventWriter(ctx), RETRY_MS), mend: () => void (isMended = true) };
}

const eventOf = (what: string) => ({
  device: { kind: 'dcu' as const, id: dcuId, sn: 'EVENTDCU01' },
  dcuId,
  traceId: null,
  code: FIELD_EVENT.notProved,
  lines: [stateLine('proof', 'EVENTDCU01', what)],
});

test('an event that could not be stored is stored when the database is available again, although it is raised once an hour', async () => {
  const { events, mend } = eventsOverBroken();
  await events.raiseHourly(eventOf('first'));
  await events.raiseHourly(eventOf('second'));
  expect(await storedEvents()).toEqual([]);
  mend();
  await expect.poll(storedEvents).toEqual([{ code: FIELD_EVENT.notProved, message: expect.stringContaining('first') }]);
  await events.stop();
});

test('unstored events are retried once when the head-end stops', async () => {
  const before = (await storedEvents()).length;
  const { events, mend } = eventsOverBroken();
  await events.raise(eventOf('last'));
  mend();
  await events.stop();
  expect((await storedEvents()).slice(before)).toEqual([{ code: FIELD_EVENT.notProved, message: expect.stringContaining('last') }]);
});
