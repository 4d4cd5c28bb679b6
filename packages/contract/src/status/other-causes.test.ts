import { expect, test } from 'vitest';
import { causesOf } from './cause.ts';
import { DCU_CAUSES, type DcuCause } from './dcu-causes.ts';
import type { DcuFacts } from './dcu-status.ts';
import { TRANSFORMER_CAUSES, type TransformerCause } from './transformer-causes.ts';
import type { TransformerFacts } from './transformer-status.ts';

const AT = '2026-03-10T08:00:00.000Z';

const DCU: DcuFacts = {
  at: AT,
  id: '3',
  sn: 'DCU0001',
  name: 'Mill Lane',
  typeName: 'DCU one',
  firmwareVersion: null,
  transformer: { id: '1', name: 'Mill Lane' },
  onlineStatus: 'online',
  lastCommAt: AT,
  freshness: 'h24',
  since: AT,
  closeReason: null,
  connections: 1,
  uplink: { signalDbm: -70, signal: 'good', readAt: AT, operator: null },
  meters: 20,
  silent: 0,
  silentMeters: [],
  network: null,
  archive: { differs: 0 },
  clock: null,
  attempts: null,
  events: null,
  timeline: [],
};

const DCU_CASES: readonly [DcuCause, Partial<DcuFacts>][] = [
  ['never_connected', { onlineStatus: 'never' }],
  ['offline', { onlineStatus: 'offline' }],
  ['offline_undated', { onlineStatus: 'offline', since: null }],
  ['unconfirmed', { onlineStatus: 'unknown' }],
  ['flapping', { connections: 12 }],
  ['weak_uplink', { uplink: { signalDbm: -110, signal: 'fail', readAt: AT, operator: null } }],
  ['many_silent', { silent: 15 }],
  ['some_silent', { silent: 2 }],
  ['archive_differs', { archive: { differs: 3 } }],
  ['clock_wrong', { clock: { class: 'set', deviationMs: 90_000, readAt: AT } }],
  ['no_transformer', { transformer: null }],
];

const LOSS = {
  transformerId: '1',
  name: 'Mill Lane',
  code: 'T1',
  supply: 100,
  sold: 95,
  missing: 0,
  loss: 5,
  lossPercent: 5,
  class: 'normal',
  unmeteredKwh: 0,
  suspectedKwh: 0,
  technicalKwh: 5,
  unexplainedKwh: 0,
  metersWithoutData: 0,
  unmeteredDevices: 0,
  suspectedMeters: 0,
  fraudMeters: 0,
  days: 7,
  daysBalanced: 7,
  daysWithoutMaster: 0,
} as const satisfies TransformerFacts['loss'];

const TRANSFORMER: TransformerFacts = {
  at: AT,
  id: '1',
  name: 'Mill Lane',
  code: 'T1',
  address: null,
  levelName: 'North',
  capacityKva: 400,
  master: { meterId: '9', sn: 'M0001', lastReadAt: AT },
  meters: 20,
  silent: 0,
  dcus: [{ id: '3', sn: 'DCU0001', onlineStatus: 'online', lastCommAt: AT, meters: 20, silent: 0 }],
  from: '2026-03-03',
  to: '2026-03-09',
  loss: LOSS,
  days: [],
  withoutData: [],
  suspects: [],
  unmetered: [],
};

const lossWith = (change: Partial<NonNullable<TransformerFacts['loss']>>): Partial<TransformerFacts> => ({ loss: { ...LOSS, ...change } });

const TRANSFORMER_CASES: readonly [TransformerCause, Partial<TransformerFacts>][] = [
  ['no_master', { master: null }],
  ['master_silent', lossWith({ daysWithoutMaster: 2, daysBalanced: 5 })],
  ['dcus_offline', { dcus: [{ id: '3', sn: 'DCU0001', onlineStatus: 'offline', lastCommAt: AT, meters: 20, silent: 20 }] }],
  ['negative_loss', lossWith({ class: 'negative', loss: -5, lossPercent: -5 })],
  ['suspected_theft', lossWith({ class: 'raised', suspectedMeters: 1, suspectedKwh: 4 })],
  ['unmetered', lossWith({ unmeteredDevices: 2, unmeteredKwh: 3 })],
  ['unusual_consumption', lossWith({ suspectedMeters: 1 })],
  ['missing_data', lossWith({ missing: 4, metersWithoutData: 1 })],
  ['unexplained', lossWith({ class: 'high', unexplainedKwh: 9 })],
  ['no_balance', lossWith({ daysBalanced: 0 })],
];

test.each(DCU_CASES)('DCU: %s is found by its facts alone', (code, change) => {
  expect(causesOf(DCU_CAUSES, { ...DCU, ...change })).toEqual([code]);
});

test.each(TRANSFORMER_CASES)('transformer: %s is found by its facts alone', (code, change) => {
  expect(causesOf(TRANSFORMER_CAUSES, { ...TRANSFORMER, ...change })).toEqual([code]);
});

test('every cause has a case, and devices against which no fact speaks have none', () => {
  expect(DCU_CASES.map(([code]) => code)).toEqual(Object.keys(DCU_CAUSES));
  expect(TRANSFORMER_CASES.map(([code]) => code)).toEqual(Object.keys(TRANSFORMER_CAUSES));
  expect([causesOf(DCU_CAUSES, DCU), causesOf(TRANSFORMER_CAUSES, TRANSFORMER)]).toEqual([[], []]);
});
