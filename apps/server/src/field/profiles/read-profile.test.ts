import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import type { AttributeRef } from '@hes/dlms/association/client.ts';
import { expect, test } from 'vitest';
import type { Anchor, AnchorQuery } from '../anchor-queries.ts';
import type { Devices, MeterDevice } from '../devices.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import type { MeterWork } from '../operations/with-meter.ts';
import { NO_QUIRKS, timeSelection } from '../quirks.ts';
import { checkedKeyOf, type Column, type ProfileAnswer } from './profile-layout.ts';
import { newestRow, readProfile, readPushedRows } from './read-profile.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEVIATION = -480;
const WATT_HOUR = 30;
const LPA = obis('1.0.99.1.0.255');
const CLOCK: Column = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2, dataIndex: 0 };
const E_PLUS: Column = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 };
const E_MINUS: Column = { ...E_PLUS, instance: obis('1.0.2.8.0.255') };
const SCALER = `scaler:3/${E_PLUS.instance}`;
const AT = Date.UTC(2026, 0, 1, 4);
const NOW = AT + HOUR_MS;
const plusIndex = CHANNELS.findIndex(({ key }) => key === 'ePlus');

const KNOWN = {
  [`profile:${LPA}`]: { columns: [CLOCK, E_PLUS], periodSeconds: 900, entries: 1_000 },
  [SCALER]: { scaler: 0, unit: WATT_HOUR },
};
function meterWith(metadata: Record<string, unknown> = KNOWN, watermarks: Record<string, number> = { [checkedKeyOf(LPA)]: NOW - HOUR_MS }) {
  return {
    kind: 'meter',
    id: '7',
    sn: 'M7',
    metadata: new MeterMetadata(JSON.stringify(metadata)),
    watermarks,
    scalersCheckedAt: new Map(),
    quirks: NO_QUIRKS,
    periodSeconds: { lpa: 900, lpb: 900 },
  } as unknown as MeterDevice; // as: nothing else is read
}
const DEVICES = {
  setMetadata: (device: MeterDevice, key: string, value: unknown) =>
    (device.metadata = new MeterMetadata(device.metadata.serializeWith(key, value))),
  setWatermark: (device: MeterDevice, key: string, at: number) => (device.watermarks[key] = at),
  requireRecheck: () => undefined,
} as unknown as Devices; // as: nothing else is called

/** A captured row: quarter of an hour after AT, and the register. */
type Row = [quarter: number, plus: number];
const bufferOf = (...rows: Row[]): Uint8Array =>
  encode(dataCodec, {
    type: 'array',
    value: rows.map(([quarter, plus]): Data => ({
      type: 'structure',
      value: [
        { type: 'octetString', value: encode(dateTimeCodec, fromEpochMs(AT + quarter * QUARTER_MS, DEVIATION)) },
        { type: 'doubleLongUnsigned', value: plus },
      ],
    })),
  });
const captureListOf = (...columns: Column[]) => encode(profileGeneric.attributes.captureObjects.codec, columns);
const anchorOf = (quarter: number, plus: number): Anchor => ({
  at: AT + quarter * QUARTER_MS,
  periodMs: QUARTER_MS,
  values: CHANNELS.map((_, index) => (index === plusIndex ? plus : null)),
});
const rowsOf = (answer: Outcome<ProfileAnswer>): Row[] | string =>
  answer.ok
    ? [...answer.value.data.clock].map((stamp, row) => [(stamp - AT) / QUARTER_MS, answer.value.data.values[0]?.[row] ?? Number.NaN])
    : answer.reason;

// --- the newest row of a part

const answerOf = (stamps: number[], plus: number[]): ProfileAnswer => ({
  columns: [E_PLUS],
  periodSeconds: 900,
  formerPeriods: [],
  entries: undefined,
  data: {
    rows: stamps.length,
    clock: Float64Array.from(stamps),
    clockStatus: new Uint8Array(stamps.length),
    values: [Float64Array.from(plus)],
    inferred: false,
  },
});

test('the next part of a range is compared with the newest row of this one, whatever the order of its rows', () => {
  const answer = answerOf([AT, AT + 2 * QUARTER_MS, Number.NaN, AT + QUARTER_MS], [100, 120, 999, 110]);
  expect(newestRow({ profile: 'lpa' }, meterWith(), answer)).toEqual(anchorOf(2, 120));
  expect(newestRow({ profile: 'daily' }, meterWith(), answer)).toMatchObject({ at: AT + 2 * QUARTER_MS, periodMs: DAY_MS });
});

test('a row without value has none as an anchor, and a part without timed rows has no anchor', () => {
  expect(newestRow({ profile: 'lpa' }, meterWith(), answerOf([AT], [Number.NaN]))?.values[plusIndex]).toBeNull();
  expect(newestRow({ profile: 'lpa' }, meterWith(), answerOf([], []))).toBeUndefined();
  expect(newestRow({ profile: 'lpa' }, meterWith(), answerOf([Number.NaN], [5]))).toBeUndefined();
});

// --- pushed rows

interface Pushed {
  device?: MeterDevice;
  octets?: Uint8Array;
  captureObjects?: Uint8Array | undefined;
  anchor?: Anchor | undefined;
}
const readPush = ({ device = meterWith(), octets = bufferOf([0, 100], [1, 110]), captureObjects, anchor }: Pushed = {}) =>
  readPushedRows(device, DEVICES, {
    profile: 'lpa',
    instance: LPA,
    octets,
    captureObjects,
    anchor,
    from: AT - DAY_MS,
    to: NOW,
    deviationMinutes: DEVIATION,
    now: NOW,
  });

test('pushed rows are decoded with the layout that was compared within a day', () => {
  expect(rowsOf(readPush({ anchor: anchorOf(0, 100) }))).toEqual([
    [0, 100],
    [1, 110],
  ]);
  expect(rowsOf(readPush({ anchor: undefined })), 'nothing stored contradicts them').toHaveLength(2);
});

test.each<[string, Pushed, string]>([
  ['with an unknown layout', { device: meterWith({ [SCALER]: { scaler: 0, unit: WATT_HOUR } }) }, 'never read'],
  ['without a known scaler', { device: meterWith({ ...KNOWN, [SCALER]: undefined }) }, 'scaler is not known'],
  [
    'of a period that does not divide a day',
    { device: meterWith({ ...KNOWN, [`profile:${LPA}`]: { columns: [CLOCK, E_PLUS], periodSeconds: 1_020 } }) },
    'does not divide a day',
  ],
  ['with a layout not compared for a day', { device: meterWith(KNOWN, { [checkedKeyOf(LPA)]: NOW - DAY_MS }) }, 'within a day'],
  ['with another capture list', { captureObjects: captureListOf(CLOCK, E_MINUS) }, 'has changed'],
  ['that differ from the stored row', { anchor: anchorOf(0, 500) }, 'do not continue'],
  ['that leap', { octets: bufferOf([0, 100], [1, 900_000]), anchor: anchorOf(0, 100) }, 'do not continue'],
  ['without a clock', { device: meterWith({ ...KNOWN, [`profile:${LPA}`]: { columns: [E_PLUS], periodSeconds: 900 } }) }, 'no clock'],
])('pushed rows %s are refused', (_, pushed, detail) => {
  expect(readPush(pushed)).toEqual({ ok: false, reason: 'TYPE_MISMATCH', detail: expect.stringContaining(detail) });
});

test('a pushed capture list counts as a comparison when it is the known one, and only then', () => {
  const device = meterWith(KNOWN, {});
  expect(readPush({ device }).ok).toBe(false);
  expect(readPush({ device, captureObjects: captureListOf(CLOCK, E_MINUS) }).ok).toBe(false);
  expect(readPush({ device, captureObjects: Uint8Array.of(1, 5) }).ok).toBe(false);
  expect(device.watermarks).toEqual({});
  expect(readPush({ device, captureObjects: captureListOf(CLOCK, E_PLUS) }).ok).toBe(true);
  expect(device.watermarks).toEqual({ [checkedKeyOf(LPA)]: NOW });
});

test('pushed rows that may have a former scale are refused', () => {
  const rescaled = (noticedAt: number) => {
    const scaling = { scaler: 0, unit: WATT_HOUR, former: { scaler: 1, unit: WATT_HOUR } };
    const marks = { [checkedKeyOf(LPA)]: NOW - HOUR_MS, [`rescaled:3/${E_PLUS.instance}`]: noticedAt };
    return meterWith({ ...KNOWN, [SCALER]: scaling }, marks);
  };
  expect(readPush({ device: rescaled(AT - HOUR_MS) })).toMatchObject({ ok: false, reason: 'SCALE_UNKNOWN' });
  expect(readPush({ device: rescaled(AT - HOUR_MS - 1) }).ok).toBe(true);
});

test('rows more than an hour outside of the range are refused, all together', () => {
  const quarters = (ms: number) => ms / QUARTER_MS;
  const [first, last] = [quarters(-DAY_MS - HOUR_MS), quarters(2 * HOUR_MS)];
  expect(rowsOf(readPush({ octets: bufferOf([first, 100], [0, 100], [last, 110]) }))).toHaveLength(3);
  for (const outside of [first - 1, last + 1])
    expect(readPush({ octets: bufferOf([0, 100], [outside, 100]) })).toMatchObject({ ok: false, reason: 'CLOCK_INVALID' });
});

// --- rows that are read

interface Asked {
  buffers?: (Uint8Array | Outcome<never>)[];
  anchor?: Anchor | undefined;
  before?: Anchor;
  device?: MeterDevice;
  /** The layout as the meter returns it. */
  layout?: { columns: Column[]; periodSeconds: number };
}

/** Reads the hour from the quarter after AT on. Returns rows, requests and events. */
async function read({ buffers = [], anchor, before, device = meterWith(), layout }: Asked) {
  const requests: unknown[] = [];
  const events: { code: number; lines: string[] }[] = [];
  const loads: AnchorQuery[] = [];
  const { captureObjects, capturePeriod, profileEntries } = profileGeneric.attributes;
  const { columns, periodSeconds } = layout ?? { columns: [CLOCK, E_PLUS], periodSeconds: 900 };
  const valueAt = ({ classId, attributeId }: AttributeRef) => {
    if (classId === 3) return attributeId === 3 ? ok(encode(scalerUnit, { scaler: 0, unit: WATT_HOUR })) : failed('ACCESS_DENIED');
    if (attributeId === captureObjects.id) return ok(encode(captureObjects.codec, columns));
    return ok(attributeId === capturePeriod.id ? encode(capturePeriod.codec, periodSeconds) : encode(profileEntries.codec, 1_000));
  };
  const link = {
    get: (_: unknown, selection: unknown) => {
      requests.push(selection);
      const answer = buffers.shift() ?? failed('METER_TIMEOUT');
      return Promise.resolve(answer instanceof Uint8Array ? ok(answer) : answer);
    },
    getList: (refs: AttributeRef[]) => {
      requests.push(refs.map(({ classId, attributeId }) => `${classId}/${attributeId}`));
      return Promise.resolve(ok(refs.map(valueAt)));
    },
  };
  const record = (event: { code: number; lines: string[] }) => Promise.resolve(events.push({ code: event.code, lines: event.lines }));
  const tools = {
    devices: DEVICES,
    fieldEvents: { raise: record, raiseHourly: record },
    anchors: {
      load: (query: AnchorQuery) => {
        loads.push(query);
        return Promise.resolve(anchor);
      },
    },
  } as unknown as OperationTools; // as: nothing else is called
  const meter = { device, link, dcuId: '3', traceId: 't', now: NOW, storing: () => undefined } as unknown as MeterWork; // as: likewise
  const [from, to] = [AT + QUARTER_MS, NOW];
  const answer = await readProfile(tools, meter, {
    profile: 'lpa',
    instance: LPA,
    from,
    to,
    deviationMinutes: DEVIATION,
    now: NOW,
    before,
  });
  return { answer, rows: rowsOf(answer), requests, events, loads };
}
const LAYOUT = ['7/3', '7/4', '7/8', '3/3'];
const REGISTERS = ['3/2'];
const rangeFrom = (quarter: number) => timeSelection(meterWith(), { from: AT + quarter * QUARTER_MS, to: NOW }, DEVIATION);

test('rows are read from the stored one on, which is compared and not returned', async () => {
  const { rows, requests, events, loads } = await read({ anchor: anchorOf(0, 100), buffers: [bufferOf([0, 100], [1, 110], [2, 120])] });
  expect(rows).toEqual([
    [1, 110],
    [2, 120],
  ]);
  expect([requests, events]).toEqual([[rangeFrom(0)], []]);
  expect(loads).toEqual([{ meterId: '7', profile: 'lpa', from: AT + QUARTER_MS - 4 * HOUR_MS, to: NOW }]);
});

test('the newest row of the part before is compared instead of the stored one, unless it is too old', async () => {
  const buffers = () => [bufferOf([0, 100], [1, 110])];
  expect(await read({ before: anchorOf(0, 100), anchor: anchorOf(0, 7), buffers: buffers() })).toMatchObject({
    rows: [[1, 110]],
    loads: [],
  });
  expect(await read({ before: anchorOf(-15, 7), anchor: anchorOf(0, 100), buffers: buffers() })).toMatchObject({
    rows: [[1, 110]],
    loads: [],
  });
  const old = await read({ before: anchorOf(-16, 7), anchor: anchorOf(0, 100), buffers: buffers() });
  expect(old.loads).toHaveLength(1);
});

test('a stored row that still differs after the layout was read again is returned as a correction, and reported', async () => {
  const { rows, requests, events } = await read({ anchor: anchorOf(0, 137), buffers: [bufferOf([0, 100], [1, 110])] });
  expect(rows).toEqual([
    [0, 100],
    [1, 110],
  ]);
  expect(requests).toEqual([rangeFrom(0), LAYOUT]);
  expect(events).toEqual([{ code: FIELD_EVENT.storedDiffers, lines: ['value lpa 20260101T040000Z: e_plus_wh 137 → 100'] }]);
});

test('a stored row that differs by a power of ten is right: the rows are converted, without a correction', async () => {
  const { rows, events } = await read({ anchor: anchorOf(0, 5_000_000), buffers: [bufferOf([0, 500_000], [1, 500_010])] });
  expect([rows, events]).toEqual([[[1, 5_000_100]], []]);
});

test('rows in doubt are read again when the layout has changed', async () => {
  const layout = { columns: [CLOCK, E_MINUS], periodSeconds: 900 };
  const { rows, requests, events } = await read({
    anchor: anchorOf(0, 137),
    layout,
    buffers: [bufferOf([0, 100], [1, 110]), bufferOf([1, 5])],
  });
  expect(rows).toEqual([[1, 5]]);
  expect(requests).toEqual([rangeFrom(0), LAYOUT, ['3/3'], rangeFrom(0)]);
  expect(events.map(({ code }) => code)).toEqual([FIELD_EVENT.meterChanged]);
});

test('without a stored row the present registers are read, and without rows there is no doubt', async () => {
  expect(await read({ buffers: [bufferOf([1, 110])] })).toMatchObject({ rows: [[1, 110]], requests: [rangeFrom(1), LAYOUT, REGISTERS] });
  expect(await read({ buffers: [bufferOf()] })).toMatchObject({ rows: [], requests: [rangeFrom(1)] });
});

test('an unknown, an outdated and an unscaled layout is read before the rows', async () => {
  const anchor = anchorOf(0, 100);
  const buffers = () => [bufferOf([0, 100], [1, 110])];
  for (const device of [
    meterWith({}, {}),
    meterWith(KNOWN, { [checkedKeyOf(LPA)]: NOW - DAY_MS }),
    meterWith({ ...KNOWN, [SCALER]: undefined }),
  ]) {
    const { rows, requests } = await read({ device, anchor, buffers: buffers() });
    expect([rows, requests.length > 1, requests.at(-1)]).toEqual([[[1, 110]], true, rangeFrom(0)]);
  }
});

test('a malformed response is read with a layout that was read again, and another failure ends the read', async () => {
  const anchor = anchorOf(0, 100);
  const malformed = await read({ anchor, buffers: [Uint8Array.of(1, 5)] });
  expect(malformed).toMatchObject({ rows: 'BAD_ANSWER', requests: [rangeFrom(0), LAYOUT] });
  expect(await read({ anchor, buffers: [failed('METER_TIMEOUT')] })).toMatchObject({ rows: 'METER_TIMEOUT', requests: [rangeFrom(0)] });
});

test('rows of a period that does not divide a day are refused and reported', async () => {
  const device = meterWith({ ...KNOWN, [`profile:${LPA}`]: { columns: [CLOCK, E_PLUS], periodSeconds: 1_020 } });
  const layout = { columns: [CLOCK, E_PLUS], periodSeconds: 1_020 };
  const { rows, events } = await read({ device, layout, anchor: anchorOf(0, 100), buffers: [bufferOf([0, 100], [1, 110])] });
  expect(rows).toBe('TYPE_MISMATCH');
  expect(events).toEqual([{ code: FIELD_EVENT.periodWithoutSlots, lines: ['period lpa: 1020 s'] }]);
});
