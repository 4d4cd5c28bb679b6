import { expect, test } from 'vitest';
import { causesOf, healthOf } from './cause.ts';
import { METER_CAUSES, type MeterCause } from './meter-causes.ts';
import type { AttemptRow, MeterFacts } from './meter-status.ts';

const AT = '2026-03-10T08:00:00.000Z';
const EARLIER = '2026-03-07T08:00:00.000Z';

/** A meter that is well. */
const WELL: MeterFacts = {
  at: AT,
  id: '7',
  sn: '210400183752',
  typeName: 'Single phase',
  isMaster: false,
  communicationMode: 'plc',
  inventoryState: 'active',
  recordedPhase: 'a',
  customerNo: null,
  customerName: null,
  address: null,
  installedAt: null,
  firmwareVersion: null,
  lastCommAt: AT,
  lastReadAt: AT,
  freshness: 'h24',
  relayState: 'connected',
  relayReadAt: null,
  setAsideUntil: null,
  transformer: { id: '1', name: 'Mill Lane' },
  isBound: true,
  line: { id: '3', sn: 'DCU0001', onlineStatus: 'online', lastCommAt: AT, since: EARLIER, closeReason: null, meters: 20, silent: 0 },
  attempts: [],
  network: {
    takenAt: AT,
    station: {
      level: 2,
      link: 'plc',
      phase: 'a',
      signalValue: 20,
      signalUnit: 'dB',
      signal: 'good',
      isOnline: true,
      lastSeenAt: AT,
      route: [{ sn: '210400183700', level: 1, isOnline: true, signal: 'good' }],
      siblings: 3,
      siblingsOnline: 3,
      parentChanges: 0,
    },
  },
  clock: { class: 'fine', deviationMs: 200, readAt: AT, lastSyncAt: null },
  events: [],
  gaps: [],
  loss: null,
  anomalies: [],
  timeline: [],
};

const attempt = (state: AttemptRow['state'], reasonCode: string | null): AttemptRow => ({
  at: AT,
  kind: 'collect',
  taskId: '1',
  state,
  reasonCode,
  reasonText: null,
});
const failed = (reason: string): Partial<MeterFacts> => ({ attempts: [attempt('read_fail', reason)] });
const { station } = WELL.network ?? {};
const { line } = WELL;
if (station == null || line === null) throw new Error('the meter of this test has a line and a station');
const inNetwork = (change: Partial<typeof station>): Partial<MeterFacts> => ({
  network: { takenAt: AT, station: { ...station, ...change } },
});
const onLine = (change: Partial<typeof line>): Partial<MeterFacts> => ({ line: { ...line, ...change } });
const SILENT: Partial<MeterFacts> = { freshness: 'over72', lastCommAt: EARLIER };

const causes = (change: Partial<MeterFacts>) => causesOf(METER_CAUSES, { ...WELL, ...change });

test('a meter against which no fact speaks is well', () => {
  expect(causes({})).toEqual([]);
  expect(healthOf(METER_CAUSES, [])).toBe('well');
});

const CASES: readonly [MeterCause, Partial<MeterFacts>][] = [
  ['in_warehouse', { inventoryState: 'in_warehouse', isBound: false, line: null, network: null }],
  ['not_bound', { isBound: false, line: null, network: null }],
  ['line_never', onLine({ onlineStatus: 'never', since: null })],
  ['line_offline', onLine({ onlineStatus: 'offline' })],
  ['line_offline_undated', onLine({ onlineStatus: 'offline', since: null })],
  ['line_unconfirmed', onLine({ onlineStatus: 'unknown' })],
  [
    'power_failure',
    {
      ...SILENT,
      events: [
        {
          id: '1',
          at: EARLIER,
          log: 'standard',
          code: 1,
          nameEn: null,
          nameZh: null,
          level: 'warning',
          direction: 'occur',
          recoveredAt: null,
        },
      ],
    },
  ],
  ['wrong_secret', failed('AUTH_FAILED')],
  ['not_in_archive', failed('NOT_IN_ARCHIVE')],
  ['other_meter', failed('IDENTITY_MISMATCH')],
  ['parent_offline', { ...SILENT, ...inNetwork({ route: [{ sn: '210400183700', level: 1, isOnline: false, signal: 'no_signal' }] }) }],
  ['many_silent', { ...SILENT, ...onLine({ meters: 20, silent: 15 }) }],
  ['left_network', inNetwork({ isOnline: false })],
  ['never_in_network', { network: { takenAt: AT, station: null } }],
  ['set_aside', { setAsideUntil: AT }],
  ['weak_signal', { ...failed('METER_TIMEOUT'), ...inNetwork({ signal: 'fail' }) }],
  ['no_response', failed('METER_TIMEOUT')],
  ['other_failure', failed('HARDWARE_FAULT')],
  ['clock_wrong', { clock: { class: 'set', deviationMs: 90_000, readAt: AT, lastSyncAt: null } }],
  [
    'data_lost',
    {
      gaps: [
        {
          id: '1',
          profile: 'lpa',
          day: '2026-03-09',
          missing: 4,
          reasonCode: null,
          triedAt: null,
          attempts: 3,
          nextTryAt: AT,
          state: 'lost',
        },
      ],
    },
  ],
  [
    'gaps_open',
    {
      gaps: [
        {
          id: '1',
          profile: 'lpa',
          day: '2026-03-09',
          missing: 4,
          reasonCode: null,
          triedAt: null,
          attempts: 3,
          nextTryAt: AT,
          state: 'open',
        },
      ],
    },
  ],
  ['supply_off', { relayState: 'disconnected' }],
  ['odd_consumption', { anomalies: [{ day: '2026-03-09', type: 'lower_limit', value: 0, reference: 2 }] }],
  ['never_heard', { ...SILENT, lastCommAt: null, freshness: 'none' }],
  ['never_heard', { ...SILENT, lastCommAt: null, freshness: 'none', attempts: [attempt('expired', null)] }],
  ['silent_unknown', { ...SILENT, attempts: [attempt('expired', null)] }],
];

test.each(CASES)('%s is found by its facts alone', (code, change) => {
  expect(causes(change)).toEqual([code]);
});

test('every cause has a case in this test', () => {
  expect([...new Set(CASES.map(([code]) => code))]).toEqual(Object.keys(METER_CAUSES));
});

test('facts that the user may not see lead to no cause', () => {
  const hidden = { attempts: null, network: null, clock: null, events: null, gaps: null, loss: null, anomalies: null };
  expect(causes(hidden)).toEqual([]);
});

test('of several causes the worst decides, and a fact worth knowing decides nothing', () => {
  expect(healthOf(METER_CAUSES, ['gaps_open', 'line_offline'])).toBe('bad');
  expect(healthOf(METER_CAUSES, ['supply_off'])).toBe('well');
});

test('a success ends the row of failures', () => {
  expect(causes({ attempts: [attempt('read_success', null), attempt('read_fail', 'METER_TIMEOUT')] })).toEqual([]);
});
