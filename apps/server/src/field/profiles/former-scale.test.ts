import { expect, test } from 'vitest';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { MeterDevice } from '../devices.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import { inPresentScale, rowsIn, scalesOf, findUndetectedRescalings, type Scale, type TwoScales } from './former-scale.ts';
import type { ProfileAnswer } from './profile-layout.ts';

const QUARTER_MS = 900_000;
const AT = Date.UTC(2026, 5, 1, 10);
const TENS = 10;
const [E_PLUS, E_MINUS] = [0, 1];

type Capture = [quarter: number, plus: number, minus?: number];

/** Rows of a meter that has counted in tens after a change, and in ones before. */
function rowsOf(captures: Capture[], anchor: [plus: number, minus?: number] | undefined, more: Partial<TwoScales> = {}): TwoScales {
  const rows = (factor: number, step: number) => {
    const values: (Float64Array | undefined)[] = CHANNELS.map(() => undefined);
    values[E_PLUS] = Float64Array.from(captures, ([, plus]) => plus * factor);
    values[E_MINUS] = Float64Array.from(captures, ([, , minus = 0]) => minus * factor);
    const stamps = Float64Array.from(captures, ([quarter]) => AT + quarter * QUARTER_MS);
    return { stamps, values, steps: CHANNELS.map(() => step), inferred: false };
  };
  const stored = anchor && {
    at: AT,
    periodMs: QUARTER_MS,
    values: CHANNELS.map((_, index) => (index === E_PLUS ? anchor[0] : index === E_MINUS ? (anchor[1] ?? 0) : null)),
  };
  return {
    present: rows(TENS, TENS),
    former: rows(1, 1),
    indexes: [E_PLUS, E_MINUS],
    isFreeze: false,
    anchor: stored,
    until: AT + 100 * QUARTER_MS,
    ...more,
  };
}

test.each<[string, TwoScales, (Scale | undefined)[]]>([
  [
    'a stored row of the former scale vouches for the rows behind it, up to the change and beyond',
    rowsOf(
      [
        [0, 5_000_007],
        [1, 5_000_107],
        [2, 500_020],
        [3, 500_031],
      ],
      [5_000_007],
    ),
    ['former', 'former', 'present', 'present'],
  ],
  [
    'a stored row of the present scale vouches for the rows before it as well',
    rowsOf(
      [
        [-2, 4_999_000],
        [-1, 499_990],
        [0, 500_000],
        [1, 500_010],
      ],
      [5_000_000],
    ),
    ['former', 'present', 'present', 'present'],
  ],
  [
    'nothing stored, nothing known',
    rowsOf(
      [
        [0, 5_000_007],
        [1, 5_000_107],
      ],
      undefined,
    ),
    [undefined, undefined],
  ],
  [
    'rows that were captured after the change was noticed vouch for those before them',
    rowsOf(
      [
        [0, 5_000_007],
        [1, 500_010],
        [2, 500_011],
      ],
      undefined,
      { until: AT + QUARTER_MS },
    ),
    ['former', 'present', 'present'],
  ],
  [
    'of small registers the rows behind the change tell what those before it are',
    rowsOf(
      [
        [0, 510],
        [1, 520],
        [2, 53],
      ],
      [510],
    ),
    ['former', 'former', 'present'],
  ],
  [
    'small registers without a row behind the change stay undecided',
    rowsOf(
      [
        [0, 510],
        [1, 520],
      ],
      [510],
    ),
    ['former', undefined],
  ],
  [
    'a register at zero is the same in both',
    rowsOf(
      [
        [0, 0],
        [1, 0],
      ],
      [0],
    ),
    ['present', 'present'],
  ],
  [
    'what fits neither scale is not decided',
    rowsOf(
      [
        [0, 5_000_007],
        [1, 300],
      ],
      [5_000_007],
    ),
    ['former', undefined],
  ],
])('%s', (_what, rows, scales) => {
  expect(scalesOf(rows)).toEqual(scales);
});

/** A meter without former read, which counts in watt-hours. */
const device = {
  metadata: new MeterMetadata(
    JSON.stringify({ 'scaler:3/1.0.1.8.0.255': { scaler: 0, unit: 30 }, 'scaler:3/1.0.2.8.0.255': { scaler: 0, unit: 30 } }),
  ),
  watermarks: {},
} as unknown as MeterDevice; // as: the functions use nothing else

const answerOf = (captures: [plus: number, minus: number][]): ProfileAnswer => ({
  columns: ['1.0.1.8.0.255', '1.0.2.8.0.255'].map((name) => ({ classId: 3, instance: obis(name), attributeId: 2, dataIndex: 0 })),
  periodSeconds: 900,
  formerPeriods: [],
  entries: undefined,
  data: {
    rows: captures.length,
    clock: Float64Array.from(captures, (_, quarter) => AT + quarter * QUARTER_MS),
    clockStatus: new Uint8Array(captures.length),
    values: [Float64Array.from(captures, ([plus]) => plus), Float64Array.from(captures, ([, minus]) => minus)],
    inferred: false,
  },
});

test.each<[string, [plus: number, minus: number][], Record<string, number>]>([
  [
    'that go on in ones behind rows in tens',
    [
      [2_139_086, 0],
      [2_139_090, 0],
      [21_390_921, 0],
    ],
    { '1.0.1.8.0.255': 1 },
  ],
  [
    'that go on in kilowatt-hours, of both directions',
    [
      [21_390_860, 900],
      [21_391, 1],
    ],
    { '1.0.1.8.0.255': -3, '1.0.2.8.0.255': -3 },
  ],
  [
    'of a meter that was set back to zero',
    [
      [1_234_567, 0],
      [0, 0],
      [1_300, 0],
    ],
    {},
  ],
  [
    'that are small: several powers fit',
    [
      [500, 0],
      [53, 0],
    ],
    {},
  ],
  [
    'of which one continues with another power than the other',
    [
      [21_390_860, 5_000_000],
      [2_139_087, 50_001],
    ],
    {},
  ],
])('a change of scaling before the first read, with rows %s', (_what, captures, powers) => {
  const answer = answerOf(captures);
  const rows = rowsIn({ profile: 'lpa' }, device, answer);
  const found = findUndetectedRescalings(device, answer, { profile: 'lpa', rows, anchor: undefined });
  expect(Object.fromEntries(found.map(({ object, power }) => [object.instance, power]))).toEqual(powers);
});

/** Both registers count in tens since a change. `former`: unit of the scaling before it; undefined: that scaling is not known any more. */
const rescaledDevice = (former?: number): MeterDevice => {
  const keys = ['3/1.0.1.8.0.255', '3/1.0.2.8.0.255'];
  const scaling = { scaler: 1, unit: 30, ...(former === undefined ? {} : { former: { scaler: 0, unit: former } }) };
  const metadata = new MeterMetadata(JSON.stringify(Object.fromEntries(keys.map((key) => [`scaler:${key}`, scaling]))));
  const noticedAt = AT + 100 * QUARTER_MS;
  return { metadata, watermarks: Object.fromEntries(keys.map((key) => [`rescaled:${key}`, noticedAt])) } as unknown as MeterDevice; // as: scaling reads nothing else
};

/** Export of rows that were captured in ones, where the stored row reveals the scale of the import only. */
function exportIn(meter: MeterDevice): unknown {
  const answer = answerOf([
    [5_000_007, 0],
    [5_000_107, 0],
    [500_020, 0],
  ]);
  const rows = rowsIn({ profile: 'lpa' }, meter, answer);
  const anchor = { at: AT, periodMs: QUARTER_MS, values: CHANNELS.map((_, index) => (index === E_PLUS ? 5_000_007 : null)) };
  const scaled = inPresentScale(meter, answer, { profile: 'lpa', rows, from: AT, anchor });
  return scaled.ok ? scaled.value.data.values.map((column) => [...column]) : scaled.reason;
}

test('zero in another unit is unknown', () => {
  const VAR_HOUR = 32;
  expect(exportIn(rescaledDevice(VAR_HOUR))).toEqual([
    [500_000.7, 500_010.7, 500_020],
    [Number.NaN, Number.NaN, 0],
  ]);
});

test('zero is zero in a scale that is not known any more, while rows of the former scale are converted', () => {
  expect(exportIn(rescaledDevice())).toEqual([
    [500_000.7, 500_010.7, 500_020],
    [0, 0, 0],
  ]);
});

/** The same meter, whose scaler was noticed to have changed at this time; the former one is not known. */
const noticedAt = (at: number) => ({ ...device, watermarks: { 'rescaled:3/1.0.1.8.0.255': at } }) as MeterDevice;
const converted = (meter: MeterDevice, captures: [plus: number, minus: number][], from = AT) => {
  const answer = answerOf(captures);
  return inPresentScale(meter, answer, { profile: 'lpa', rows: rowsIn({ profile: 'lpa' }, meter, answer), from, anchor: undefined });
};

test('rows before a change that was noticed are converted by the power that the rows reveal', () => {
  // Rows an hour after the notice and later were captured with the present scaler.
  const rows = converted(noticedAt(AT + 1.5 * QUARTER_MS - 3_600_000), [
    [2_139_086, 5],
    [2_139_090, 6],
    [21_390_921, 7],
  ]);
  expect(rows.ok && rows.value.data.values.map((column) => [...column])).toEqual([
    [21_390_860, 21_390_900, 21_390_921],
    [5, 6, 7],
  ]);
});

test('rows whose scale is not revealed are refused, with the time of the change if it was noticed', () => {
  expect(converted(noticedAt(AT + 1), [[5_000_007, 0]])).toMatchObject({
    reason: 'SCALE_UNKNOWN',
    detail: 'Captured before its scaler changed on 2026-06-01T10:00:00.001Z, and no stored row reveals its scale',
  });
  const undecided: [number, number][] = [
    [300, 0],
    [2_139_090, 0],
    [21_390_921, 0],
  ];
  expect(converted(device, undecided)).toMatchObject({
    reason: 'SCALE_UNKNOWN',
    detail: 'Captured before its scaler changed, and no stored row reveals its scale',
  });
  // Rows that are dropped anyway need no scale.
  expect(converted(device, undecided, AT + QUARTER_MS)).toMatchObject({ ok: true });
});

test('rows without a change are returned as they are', () => {
  const answer = answerOf([
    [100, 0],
    [101, 0],
  ]);
  const asked = { profile: 'lpa', rows: rowsIn({ profile: 'lpa' }, device, answer), from: AT, anchor: undefined } as const;
  const rows = inPresentScale(device, answer, asked);
  expect(rows.ok && rows.value).toBe(answer);
  expect(converted(noticedAt(AT - 3 * 3_600_000), [[100, 0]]), 'a change long before the rows').toMatchObject({ ok: true });
});
