import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { Memory, NO_MEMORY } from './memory.ts';
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

const toldOf = async (id: string): Promise<unknown> => {
  const { rows } = await database.pool.query<{ told: unknown }>(
    'select k.told from meter m left join meter_memory k on k.id = m.memory_id where m.id = $1',
    [id],
  );
  return rows[0]?.told;
};

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
  presence.mark(meterId, 'through:lpa', AT, NO_MEMORY);
  presence.mark(meterId, 'through:lpa', AT - 1000, NO_MEMORY);
  expect(await kept()).toEqual({ heard: String(AT), counter: '7', marks: { 'through:lpa': AT, 'through:daily': 2 } });
});

test('a meter that is heard and not read keeps its marks', async () => {
  presence.meterHeard(meterId, AT, 7);
  expect((await kept())?.marks).toEqual({ 'through:lpa': 1, 'through:daily': 2 });
});

test('what is waiting of a meter that was changed is no longer said of it, but that it was heard', async () => {
  presence.meterHeard(meterId, AT, 7);
  presence.mark(meterId, 'through:lpa', AT, NO_MEMORY);
  presence.forget([meterId]);
  expect(await kept()).toEqual({ heard: String(AT), counter: '-1', marks: { 'through:lpa': 1, 'through:daily': 2 } });
});

test('what is heard is written by itself, a little later', async () => {
  presence.meterHeard(meterId, AT, 7);
  await expect
    .poll(async () => (await database.pool.query('select from meter where id = $1 and last_comm_at is not null', [meterId])).rowCount, {
      timeout: 30_000,
    })
    .toBe(1);
});

test('a memory has one row, whoever comes to it and however', async () => {
  const first = new Memory('{"depth:lpa":1}');
  const second = new Memory('{"depth:lpa":2}');
  presence.learnt(meterId, NO_MEMORY, first);
  presence.learnt(meterId, first, second);
  await presence.stop();
  expect(await toldOf(meterId)).toEqual({ 'depth:lpa': 2 });
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into meter (sn, meter_type_id, communication_mode) select 'PRESOTHER', id, 'plc' from meter_type where code = 'P' returning id",
  );
  const neighbour = rows[0]?.id ?? '';
  presence.learnt(neighbour, NO_MEMORY, new Memory('{"depth:lpa":2}'));
  await presence.stop();
  expect(await toldOf(neighbour)).toEqual({ 'depth:lpa': 2 });
  expect((await database.pool.query("select from meter_memory where told ->> 'depth:lpa' = '2'")).rowCount).toBe(1);
});

test('where somebody else wrote what the meter told him, neither memory is trusted: it is asked anew', async () => {
  const ours = new Memory('{"depth:lpa":3}');
  const theirs = new Memory('{"depth:lpa":4}');
  const lost: string[] = [];
  presence.onLost = (ids) => lost.push(...ids);
  presence.learnt(meterId, NO_MEMORY, theirs);
  await presence.stop();
  expect(lost).toEqual([]);
  presence.learnt(meterId, NO_MEMORY, ours);
  await presence.stop();
  expect(await toldOf(meterId)).toBeNull();
  expect(lost).toEqual([meterId]);
});

test('what a meter told can be waited for, and what cannot be written is said', async () => {
  const told = new Memory('{"depth:lpa":8}');
  await presence.kept(meterId);
  presence.learnt(meterId, NO_MEMORY, told);
  presence.mark(meterId, 'rescaled:3/1.0.1.8.0.255', AT, told);
  await presence.kept(meterId);
  expect(await toldOf(meterId)).toEqual({ 'depth:lpa': 8 });
  expect((await kept())?.marks).toMatchObject({ 'rescaled:3/1.0.1.8.0.255': AT });

  const { pool, mend } = failing(false);
  presence = new Presence(pool, createLog('silent'));
  const more = new Memory('{"depth:lpa":9}');
  presence.learnt(meterId, told, more);
  await expect(presence.kept(meterId)).rejects.toThrow('could not be written');
  mend();
  await presence.kept(meterId);
  expect(await toldOf(meterId)).toEqual({ 'depth:lpa': 9 });
  await presence.stop();
});

test('a mark holds with the memory it was made with, and with no other', async () => {
  const ours = new Memory('{"depth:lpa":5}');
  const theirs = new Memory('{"depth:lpa":6}');
  presence.learnt(meterId, NO_MEMORY, ours);
  await presence.stop();
  presence.mark(meterId, 'checked:1.0.99.1.0.255', AT, ours);
  await presence.stop();
  expect(await toldOf(meterId)).toEqual({ 'depth:lpa': 5 });
  presence.learnt(meterId, ours, theirs);
  await presence.stop();
  presence.mark(meterId, 'checked:1.0.99.1.0.255', AT + 1, ours);
  await presence.stop();
  expect(await toldOf(meterId)).toBeNull();
});

/** A database that cannot be reached, or that does what it is asked and whose answer is lost. */
function failing(isDone: boolean): { pool: Pool; mend(): void } {
  let isMended = false;
  const query = async (...asked: Parameters<Pool['query']>) => {
    if (isMended) return database.pool.query(...asked);
    if (isDone) await database.pool.query(...asked);
    throw new Error('Connection terminated');
  };
  return { pool: { query } as unknown as Pool, mend: () => void (isMended = true) }; // as: nothing else is asked of it
}

test.each([
  ['could not be written', false],
  ['was written, and the answer was lost', true],
])('what %s is written again, below what was heard since', async (_what, isDone) => {
  const { pool, mend } = failing(isDone);
  presence = new Presence(pool, createLog('silent'));
  const lost: string[] = [];
  presence.onLost = (ids) => lost.push(...ids);
  const first = new Memory(`{"depth:lpa":${isDone ? 70 : 71}}`);
  const second = new Memory(`{"depth:lpa":${isDone ? 72 : 73}}`);
  presence.meterHeard(meterId, AT, 7);
  presence.learnt(meterId, NO_MEMORY, first);
  presence.mark(meterId, 'through:lpa', AT, first);
  presence.mark(meterId, 'through:daily', AT, first);
  await presence.stop();
  presence.mark(meterId, 'through:lpa', AT + 1000, first);
  presence.learnt(meterId, first, second);
  mend();
  expect(await kept()).toEqual({ heard: String(AT), counter: '7', marks: { 'through:lpa': AT + 1000, 'through:daily': AT } });
  expect(await toldOf(meterId)).toEqual({ 'depth:lpa': isDone ? 72 : 73 });
  expect(lost).toEqual([]);
});

test('what could not be written of a meter that was changed meanwhile is not written later', async () => {
  const written = Promise.withResolvers<void>();
  const query = vi.fn(() => written.promise.then(() => Promise.reject(new Error('Connection terminated'))));
  presence = new Presence({ query } as unknown as Pool, createLog('silent')); // as: nothing else is asked of it
  presence.meterHeard(meterId, AT, 7);
  presence.mark(meterId, 'through:lpa', AT, NO_MEMORY);
  const stopping = presence.stop();
  await vi.waitFor(() => expect(query).toHaveBeenCalled());
  presence.forget([meterId]);
  written.resolve();
  await stopping;
  query.mockImplementation((...asked: unknown[]) => database.pool.query(...(asked as [string])) as never); // as: asked of a pool
  expect(await kept()).toEqual({ heard: String(AT), counter: '-1', marks: { 'through:lpa': 1, 'through:daily': 2 } });
});

test('a DCU that is heard again and again is written once a second, and its last contact is kept when we stop', async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    `with t as (insert into dcu_type (code, name, supplier_id, profile_id) select $1, 'P', s.id, p.id from supplier s, southbound_profile p
       where s.code = 'P' and p.key = 'p' returning id)
     insert into dcu (sn, name, dcu_type_id) select $1, 'D', id from t returning id`,
    [`PRESDCU${number++}`],
  );
  const dcuId = rows[0]?.id ?? '';
  let writes = 0;
  const counting = {
    query: (...asked: Parameters<Pool['query']>) => {
      if (asked[0].startsWith('update dcu ')) writes++;
      return database.pool.query(...asked);
    },
  } as unknown as Pool; // as: nothing else is asked of it
  presence = new Presence(counting, createLog('error'));
  const begun = performance.now();
  let last = AT;
  for (let i = 0; i < 30; i++) {
    presence.dcuHeard(dcuId, (last = AT + i * 1000));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(writes).toBeGreaterThan(0);
  expect(writes).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1000));
  await presence.stop();
  const kept = await database.pool.query<{ at: Date }>('select last_comm_at as at from dcu where id = $1', [dcuId]);
  expect(kept.rows[0]?.at.getTime()).toBe(last);
});
