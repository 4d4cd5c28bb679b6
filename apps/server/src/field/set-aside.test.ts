import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import type { Pool } from 'pg';
import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { MeterDevice } from './devices.ts';
import type { FieldEvent, FieldEvents } from './field-events.ts';
import { SetAside } from './set-aside.ts';

const MINUTE_MS = 60_000;
const BEGUN = Date.UTC(2026, 0, 1);
const FROM = { dcuId: '3', traceId: 't' };

let now: number;
let written: unknown[][];
let raised: FieldEvent[];
let setAside: SetAside;
let device: MeterDevice;
beforeEach(() => {
  [now, written, raised] = [BEGUN, [], []];
  const pool = { query: (_: string, values: unknown[]) => Promise.resolve(written.push(values)) } as unknown as Pool; // as: nothing else is called
  const events = { raise: (event: FieldEvent) => Promise.resolve(raised.push(event)) } as unknown as FieldEvents; // as: nothing else is called
  setAside = new SetAside({ pool, clock: { ...systemClock, now: () => now } }, events);
  device = { kind: 'meter', id: '7', sn: 'METER7', setAside: { until: 0, times: 0 } } as MeterDevice; // as: nothing else is read
});

test('each pause after the other is longer, up to a day', async () => {
  const minutes: number[] = [];
  for (let times = 0; times < 6; times++) {
    now = device.setAside.until + 1;
    await setAside.startPause(device, 'endless', FROM);
    minutes.push((device.setAside.until - now) / MINUTE_MS);
  }
  expect(minutes).toEqual([15, 60, 240, 1440, 1440, 1440]);
  expect(device.setAside.times).toBe(6);
});

test('a pause is stored with its reason and reported, and a failure during it does not lengthen it', async () => {
  await setAside.startPause(device, 'endless', FROM);
  const until = BEGUN + 15 * MINUTE_MS;
  expect(written).toEqual([['7', new Date(until), 1, 'endless']]);
  expect(raised).toEqual([
    {
      device,
      dcuId: '3',
      traceId: 't',
      code: FIELD_EVENT.setAside,
      lines: ['cost METER7: ANSWER_TOO_LONG, endless → 2026-01-01T00:15:00.000Z'],
    },
  ]);
  now = until - 1;
  expect(setAside.isPaused(device)).toBe(true);
  await setAside.startPause(device, 'again', { ...FROM, traceId: undefined });
  expect([written.length, device.setAside]).toEqual([1, { until, times: 1 }]);
  now = until;
  expect(setAside.isPaused(device)).toBe(false);
});

test('a successful read ends the pause, and the next one is short again', async () => {
  await setAside.startPause(device, 'endless', FROM);
  now = device.setAside.until;
  await setAside.endPause(device, { ...FROM, traceId: undefined });
  expect(device.setAside).toEqual({ until: 0, times: 0 });
  expect(written[1]).toEqual(['7']);
  expect(raised[1]).toEqual({ device, dcuId: '3', traceId: null, code: FIELD_EVENT.readAgain, lines: [] });
});
