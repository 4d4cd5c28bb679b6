import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { MeterMetadata, NO_METADATA } from './meter-metadata.ts';
import { DeviceStateWriter } from './device-state-writer.ts';

const AT = Date.UTC(2026, 2, 1);

let database: TestDatabase;
let deviceState: DeviceStateWriter;
let meterId: string;
beforeAll(async () => {
  database = await cloneDatabase();
  await insertDeviceTypes(database.pool);
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
  deviceState = new DeviceStateWriter(database.pool, createLog('error'));
});

const metadataOf = async (id: string): Promise<unknown> => {
  const { rows } = await database.pool.query<{ told: unknown }>(
    'select k.told from meter m left join meter_memory k on k.id = m.memory_id where m.id = $1',
    [id],
  );
  return rows[0]?.told;
};

interface Written {
  heard: string | null;
  counter: string;
  marks: Record<string, number>;
}

/** State in the database after all updates were written. */
async function readState(): Promise<Written | undefined> {
  await deviceState.stop();
  const { rows } = await database.pool.query<Written>(
    'select extract(epoch from last_comm_at)::bigint * 1000 as heard, peer_invocation_counter as counter, marks from meter where id = $1',
    [meterId],
  );
  return rows[0];
}

test('watermarks are written with the last contact; the later of two is kept, and others are unchanged', async () => {
  deviceState.recordMeterContact(meterId, AT, 7);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, NO_METADATA);
  deviceState.recordWatermark(meterId, 'through:lpa', AT - 1000, NO_METADATA);
  expect(await readState()).toEqual({ heard: String(AT), counter: '7', marks: { 'through:lpa': AT, 'through:daily': 2 } });
});

// Chaos, seed 10: the watermark was lost in a crash of the database, and the database said less than was read until the next capture.
test('watermarks that a crash of the database undid are written again with their metadata, unless the meter was changed since', async () => {
  const first = new MeterMetadata('{"depth:lpa":20}');
  const second = new MeterMetadata('{"depth:lpa":21}');
  const conflicts: string[] = [];
  deviceState.onMetadataConflict = (ids) => conflicts.push(...ids);
  const crash = () =>
    database.pool.query(`update meter set marks = '{"through:lpa": 1}', memory_id = $2 where id = $1`, [meterId, first.id]);
  deviceState.recordMetadata(meterId, NO_METADATA, first);
  await deviceState.stop();
  deviceState.recordMetadata(meterId, first, second);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, second);
  expect((await readState())?.marks['through:lpa']).toBe(AT);

  await crash();
  deviceState.repeatWatermarks();
  expect((await readState())?.marks['through:lpa']).toBe(AT);
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 21 });

  deviceState.repeatWatermarks();
  await deviceState.stop();
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 21 });
  expect(conflicts).toEqual([]);

  await crash();
  deviceState.discardMeters([meterId]);
  deviceState.repeatWatermarks();
  expect((await readState())?.marks['through:lpa']).toBe(1);
});

test('watermarks are repeated behind a running write of other metadata', async () => {
  const [first, second] = [30, 31].map((depth) => new MeterMetadata(`{"depth:lpa":${depth}}`)) as [MeterMetadata, MeterMetadata]; // as: two
  const conflicts: string[] = [];
  deviceState.onMetadataConflict = (ids) => conflicts.push(...ids);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, NO_METADATA);
  deviceState.recordMetadata(meterId, NO_METADATA, first);
  await deviceState.stop();
  deviceState.recordMetadata(meterId, first, second);
  const flushed = deviceState.flushMetadata(meterId);
  deviceState.repeatWatermarks();
  await flushed;
  await deviceState.stop();
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 31 });
  expect(conflicts).toEqual([]);
});

test('a contact without a read keeps the watermarks', async () => {
  deviceState.recordMeterContact(meterId, AT, 7);
  expect((await readState())?.marks).toEqual({ 'through:lpa': 1, 'through:daily': 2 });
});

test('counters and watermarks of a changed meter are discarded, and its last contact is written', async () => {
  deviceState.recordMeterContact(meterId, AT, 7);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, NO_METADATA);
  deviceState.discardMeters([meterId]);
  expect(await readState()).toEqual({ heard: String(AT), counter: '-1', marks: { 'through:lpa': 1, 'through:daily': 2 } });
});

test('a contact is written automatically after a short time', async () => {
  deviceState.recordMeterContact(meterId, AT, 7);
  await expect
    .poll(async () => (await database.pool.query('select from meter where id = $1 and last_comm_at is not null', [meterId])).rowCount, {
      timeout: 30_000,
    })
    .toBe(1);
});

test('equal metadata of several meters has one row', async () => {
  const first = new MeterMetadata('{"depth:lpa":1}');
  const second = new MeterMetadata('{"depth:lpa":2}');
  deviceState.recordMetadata(meterId, NO_METADATA, first);
  deviceState.recordMetadata(meterId, first, second);
  await deviceState.stop();
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 2 });
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into meter (sn, meter_type_id, communication_mode) select 'PRESOTHER', id, 'plc' from meter_type where code = 'P' returning id",
  );
  const neighbour = rows[0]?.id ?? '';
  deviceState.recordMetadata(neighbour, NO_METADATA, new MeterMetadata('{"depth:lpa":2}'));
  await deviceState.stop();
  expect(await metadataOf(neighbour)).toEqual({ 'depth:lpa': 2 });
  expect((await database.pool.query("select from meter_memory where told ->> 'depth:lpa' = '2'")).rowCount).toBe(1);
});

test('metadata that another head-end has changed meanwhile is cleared and must be read again', async () => {
  const ours = new MeterMetadata('{"depth:lpa":3}');
  const theirs = new MeterMetadata('{"depth:lpa":4}');
  const conflicts: string[] = [];
  deviceState.onMetadataConflict = (ids) => conflicts.push(...ids);
  deviceState.recordMetadata(meterId, NO_METADATA, theirs);
  await deviceState.stop();
  expect(conflicts).toEqual([]);
  deviceState.recordMetadata(meterId, NO_METADATA, ours);
  await deviceState.stop();
  expect(await metadataOf(meterId)).toBeNull();
  expect(conflicts).toEqual([meterId]);
});

test('what was recorded beside a conflicting write does not conflict again', async () => {
  const [theirs, ours, next, learnt] = [40, 41, 42, 43].map((depth) => new MeterMetadata(`{"depth:lpa":${depth}}`)) as [
    MeterMetadata,
    MeterMetadata,
    MeterMetadata,
    MeterMetadata,
  ]; // as: four
  deviceState.recordMetadata(meterId, NO_METADATA, theirs);
  await deviceState.stop();
  const conflicts: string[] = [];
  deviceState.onMetadataConflict = (ids) => conflicts.push(...ids);
  const query = vi.spyOn(database.pool, 'query');
  deviceState.recordMetadata(meterId, ours, next);
  query.mockImplementationOnce((...asked: unknown[]) => {
    deviceState.recordWatermark(meterId, 'through:lpa', AT, next);
    return database.pool.query(...(asked as [string])) as never; // as: asked of the pool
  });
  await deviceState.flushMetadata(meterId);
  query.mockRestore();
  expect(conflicts).toEqual([meterId]);
  deviceState.recordMetadata(meterId, NO_METADATA, learnt);
  await deviceState.flushMetadata(meterId);
  await deviceState.stop();
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 43 });
  expect(conflicts).toEqual([meterId]);
});

test('a flush of metadata resolves after the commit, and rejects when the write fails', async () => {
  const told = new MeterMetadata('{"depth:lpa":8}');
  await deviceState.flushMetadata(meterId);
  deviceState.recordMetadata(meterId, NO_METADATA, told);
  deviceState.recordWatermark(meterId, 'rescaled:3/1.0.1.8.0.255', AT, told);
  await deviceState.flushMetadata(meterId);
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 8 });
  expect((await readState())?.marks).toMatchObject({ 'rescaled:3/1.0.1.8.0.255': AT });

  const { pool, mend } = failing(false);
  deviceState = new DeviceStateWriter(pool, createLog('silent'));
  const more = new MeterMetadata('{"depth:lpa":9}');
  deviceState.recordMetadata(meterId, told, more);
  await expect(deviceState.flushMetadata(meterId)).rejects.toThrow('could not be written');
  mend();
  await deviceState.flushMetadata(meterId);
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 9 });
  await deviceState.stop();
});

test('a watermark is valid only with the metadata that it was recorded with', async () => {
  const ours = new MeterMetadata('{"depth:lpa":5}');
  const theirs = new MeterMetadata('{"depth:lpa":6}');
  deviceState.recordMetadata(meterId, NO_METADATA, ours);
  await deviceState.stop();
  deviceState.recordWatermark(meterId, 'checked:1.0.99.1.0.255', AT, ours);
  await deviceState.stop();
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': 5 });
  deviceState.recordMetadata(meterId, ours, theirs);
  await deviceState.stop();
  deviceState.recordWatermark(meterId, 'checked:1.0.99.1.0.255', AT + 1, ours);
  await deviceState.stop();
  expect(await metadataOf(meterId)).toBeNull();
});

/** A database that cannot be reached, or that executes the statement and whose response is lost. */
function failing(isDone: boolean): { pool: Pool; mend(): void } {
  let isMended = false;
  const query = async (...asked: Parameters<Pool['query']>) => {
    if (isMended) return database.pool.query(...asked);
    if (isDone) await database.pool.query(...asked);
    throw new Error('Connection terminated');
  };
  return { pool: { query } as unknown as Pool, mend: () => void (isMended = true) }; // as: the writer uses nothing else
}

test.each([
  ['could not be written', false],
  ['was written, with a lost response', true],
])('an update that %s is written again, below newer updates', async (_what, isDone) => {
  const { pool, mend } = failing(isDone);
  deviceState = new DeviceStateWriter(pool, createLog('silent'));
  const conflicts: string[] = [];
  deviceState.onMetadataConflict = (ids) => conflicts.push(...ids);
  const first = new MeterMetadata(`{"depth:lpa":${isDone ? 70 : 71}}`);
  const second = new MeterMetadata(`{"depth:lpa":${isDone ? 72 : 73}}`);
  deviceState.recordMeterContact(meterId, AT, 7);
  deviceState.recordMetadata(meterId, NO_METADATA, first);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, first);
  deviceState.recordWatermark(meterId, 'through:daily', AT, first);
  await deviceState.stop();
  deviceState.recordWatermark(meterId, 'through:lpa', AT + 1000, first);
  deviceState.recordMetadata(meterId, first, second);
  mend();
  expect(await readState()).toEqual({ heard: String(AT), counter: '7', marks: { 'through:lpa': AT + 1000, 'through:daily': AT } });
  expect(await metadataOf(meterId)).toEqual({ 'depth:lpa': isDone ? 72 : 73 });
  expect(conflicts).toEqual([]);
});

test('a failed update of a meter that was changed meanwhile is discarded', async () => {
  const written = Promise.withResolvers<void>();
  const query = vi.fn(() => written.promise.then(() => Promise.reject(new Error('Connection terminated'))));
  deviceState = new DeviceStateWriter({ query } as unknown as Pool, createLog('silent')); // as: the writer uses nothing else
  deviceState.recordMeterContact(meterId, AT, 7);
  deviceState.recordWatermark(meterId, 'through:lpa', AT, NO_METADATA);
  const stopping = deviceState.stop();
  await vi.waitFor(() => expect(query).toHaveBeenCalled());
  deviceState.discardMeters([meterId]);
  written.resolve();
  await stopping;
  query.mockImplementation((...asked: unknown[]) => database.pool.query(...(asked as [string])) as never); // as: asked of a pool
  expect(await readState()).toEqual({ heard: String(AT), counter: '-1', marks: { 'through:lpa': 1, 'through:daily': 2 } });
});

test('contacts of a DCU are written once a second, and the last one when the writer stops', async () => {
  const { rows } = await database.pool.query<{ id: string }>(
    "insert into dcu (sn, name, dcu_type_id) select $1, 'D', id from dcu_type where code = 'P' returning id",
    [`PRESDCU${number++}`],
  );
  const dcuId = rows[0]?.id ?? '';
  let writes = 0;
  const counting = {
    query: (...asked: Parameters<Pool['query']>) => {
      if (asked[0].startsWith('update endpoint ')) writes++;
      return database.pool.query(...asked);
    },
  } as unknown as Pool; // as: the writer uses nothing else
  deviceState = new DeviceStateWriter(counting, createLog('error'));
  const begun = performance.now();
  let last = AT;
  for (let i = 0; i < 30; i++) {
    deviceState.recordDcuContact(dcuId, (last = AT + i * 1000));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(writes).toBeGreaterThan(0);
  expect(writes).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1000));
  await deviceState.stop();
  const kept = await database.pool.query<{ at: Date }>('select last_comm_at as at from dcu where id = $1', [dcuId]);
  expect(kept.rows[0]?.at.getTime()).toBe(last);
});
