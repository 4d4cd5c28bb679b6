import { failed, type ReasonCode } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { insertDeviceTypes } from '../../test/device-types.ts';
import { createPublicDevice } from './device-name.ts';
import type { Device } from './devices.ts';
import { FieldEvents } from './field-events.ts';
import { IdentityDoubts } from './identity-doubts.ts';

const SN = '00112233';
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let dcuId = '';
let meterId = '';
let doubts: IdentityDoubts;
beforeAll(async () => {
  database = await cloneDatabase();
  const { dcuTypeId, meterTypeId } = await insertDeviceTypes(database.pool);
  const { rows } = await database.pool.query<{ dcu: string; meter: string }>(
    `with d as (insert into dcu (sn, name, dcu_type_id) values ('DOUBTDCU01', 'D', $1) returning id),
       m as (insert into meter (sn, meter_type_id, communication_mode) values ('${SN}', $2, 'plc') returning id)
     select d.id as dcu, m.id as meter from d, m`,
    [dcuTypeId, meterTypeId],
  );
  ({ dcu: dcuId, meter: meterId } = rows[0] ?? { dcu: '', meter: '' });
});
afterAll(() => database.drop());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const ctx = { pool: database.pool, bus: createBus(), clock: systemClock, log: createLog('silent') };
  doubts = new IdentityDoubts(new FieldEvents(ctx, new EventWriter(ctx)));
});
afterEach(async () => {
  vi.useRealTimers();
  await database.pool.query('delete from event');
});

/** The meter behind the DCU of the test. */
const meterWith = (values: Partial<Device> & { dcuId?: string | null } = {}): Device => {
  const meter = { ...createPublicDevice(meterId, SN, undefined), kind: 'meter' as const, isCiphered: true, dcuId };
  return { ...meter, ...values };
};

const timesAsked = { count: 0 };

const explain = (device: Device, reason: ReasonCode, { detail, name }: { detail?: string; name?: string } = {}) =>
  doubts.explain({
    device,
    outcome: { ok: false, reason, ...(detail === undefined ? {} : { detail }) },
    traceId: '00000000-0000-4000-8000-000000000001',
    askName() {
      timesAsked.count++;
      return Promise.resolve(name);
    },
  });

const storedEvents = async () =>
  (
    await database.pool.query<Record<string, unknown>>(
      'select code, message, meter_id as meter, dcu_id as dcu, trace_id as trace from event order by id',
    )
  ).rows;
const raised = (code: number, message: string) => ({
  code,
  message,
  meter: meterId,
  dcu: dcuId,
  trace: '00000000-0000-4000-8000-000000000001',
});

test('a failed authentication at an address where another meter responds is an identity mismatch', async () => {
  expect(await explain(meterWith(), 'AUTH_FAILED', { name: 'ABC99887766' })).toEqual(failed('IDENTITY_MISMATCH', 'ABC99887766'));
  expect(await storedEvents()).toEqual([raised(FIELD_EVENT.identityMismatch, `identity ${SN}: ${SN} → ABC99887766`)]);
});

test('a failed authentication of the right meter stays a wrong key, and so does one without a name', async () => {
  expect(await explain(meterWith(), 'AUTH_FAILED', { name: `ABC${SN}` })).toEqual(failed('AUTH_FAILED'));
  doubts.discardVerdict(meterWith());
  expect(await explain(meterWith(), 'AUTH_FAILED', { detail: 'wrong tag' })).toEqual(failed('AUTH_FAILED', 'wrong tag'));
  expect(await storedEvents()).toEqual([
    raised(FIELD_EVENT.notProved, `proof ${SN}: AUTH_FAILED`),
    raised(FIELD_EVENT.notProved, `proof ${SN}: AUTH_FAILED, wrong tag`),
  ]);
});

test('a short name is compared by the quirks of the meter type', async () => {
  const device = meterWith({ quirks: new Set(['ldn_short'] as const) });
  expect(await explain(device, 'AUTH_FAILED', { name: `ABC${SN.slice(2)}` })).toEqual(failed('AUTH_FAILED'));
});

test('a meter without cipher that returned another name is not asked again', async () => {
  timesAsked.count = 0;
  const plain = meterWith({ isCiphered: false });
  expect(await explain(plain, 'IDENTITY_MISMATCH', { detail: 'ABC1', name: 'other' })).toEqual(failed('IDENTITY_MISMATCH', 'ABC1'));
  expect(timesAsked.count).toBe(0);
  expect(await storedEvents()).toEqual([raised(FIELD_EVENT.identityMismatch, `identity ${SN}: ${SN} → ABC1`)]);
});

test('a mismatch of a ciphered meter is reported with the name that is read, else with what the failure says', async () => {
  expect(await explain(meterWith(), 'IDENTITY_MISMATCH', { detail: 'title', name: `ABC${SN}` })).toEqual(
    failed('IDENTITY_MISMATCH', `ABC${SN}`),
  );
  doubts.discardVerdict(meterWith());
  expect(await explain(meterWith(), 'IDENTITY_MISMATCH', { detail: 'title' })).toEqual(failed('IDENTITY_MISMATCH', 'title'));
  doubts.discardVerdict(meterWith());
  expect(await explain(meterWith(), 'IDENTITY_MISMATCH')).toEqual(failed('IDENTITY_MISMATCH', '—'));
});

// Chaos, seed 10: the first attempt to read the name failed, and there was no second one within the hour.
test('a meter that did not say its name is asked again after a minute, and only another name is a new event', async () => {
  timesAsked.count = 0;
  expect(await explain(meterWith(), 'AUTH_FAILED')).toEqual(failed('AUTH_FAILED'));
  vi.advanceTimersByTime(59_999);
  expect(await explain(meterWith(), 'AUTH_FAILED', { name: 'ABC99887766' })).toEqual(failed('AUTH_FAILED'));
  expect(timesAsked.count).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await explain(meterWith(), 'AUTH_FAILED')).toEqual(failed('AUTH_FAILED'));
  expect(timesAsked.count).toBe(2);
  expect(await storedEvents()).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  expect(await explain(meterWith(), 'AUTH_FAILED', { name: 'ABC99887766' })).toEqual(failed('IDENTITY_MISMATCH', 'ABC99887766'));
  expect((await storedEvents()).map(({ code }) => code)).toEqual([FIELD_EVENT.notProved, FIELD_EVENT.identityMismatch]);
});

test('the name is read at most once an hour per device and reason, and again after an authentication', async () => {
  timesAsked.count = 0;
  const explainAgain = () => explain(meterWith(), 'AUTH_FAILED', { name: 'ABC99887766' });
  const first = await explainAgain();
  vi.advanceTimersByTime(HOUR_MS - 1);
  expect(await explainAgain()).toEqual(first);
  expect(timesAsked.count).toBe(1);
  vi.advanceTimersByTime(1);
  await explainAgain();
  expect(timesAsked.count).toBe(2);
  await explain(meterWith(), 'METER_TIMEOUT', { name: 'ABC99887766' });
  expect(timesAsked.count, 'another reason').toBe(3);
  await explain(meterWith({ id: dcuId, kind: 'dcu' }), 'METER_TIMEOUT', { name: 'ABC99887766' });
  expect(timesAsked.count, 'another device, with the same id or not').toBe(4);
  doubts.discardVerdict(meterWith());
  await explain(meterWith(), 'METER_TIMEOUT', { name: 'ABC99887766' });
  expect(timesAsked.count, 'after an authentication').toBe(5);
  expect(await storedEvents()).toHaveLength(5);
});

test('a DCU in doubt has an event of its own', async () => {
  await explain({ ...createPublicDevice(dcuId, 'DOUBTDCU01', undefined) }, 'AUTH_FAILED');
  expect((await storedEvents()).map(({ meter, dcu }) => [meter, dcu])).toEqual([[null, dcuId]]);
});
