import { describe, expect, test } from 'vitest';
import { dailyTruth, profileTruth } from '../../apps/simulator/src/control/truth.ts';
import { dayStart, dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { createWorld } from '../../apps/simulator/src/world/world.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { Columns, Guarantee, Line } from './history.ts';
import { judge } from './judge.ts';

const DAY_MS = 86_400_000;
const SEED = 3;
const world = createWorld(SEED, { dcus: 1, metersPerDcu: 2 });
const [meter, other] = world.plan.meters;
if (meter === undefined || other === undefined) throw new Error('No meters');
const { sn } = meter;
const dcu = meter.dcu.sn;
/** The stored UTC day, and the local days that overlap it. */
const BEGINS = Date.parse('2026-11-10T00:00:00Z');
const LOCAL_DAY = '2026-11-10';
const iso = (at: number) => new Date(at).toISOString().slice(0, 10);

/** 02:30 local time, and the moment of its run. */
const NIGHT = 150;
const NIGHTS = [-1, 0, 1].map((day) => dayStart(localDay(BEGINS) + day) + NIGHT * 60_000);

type Row = Extract<Line, { t: 'row' }>;

const rowOf = (begins: number): Row => {
  const truth = profileTruth(world, meter, 'lpa', begins, begins + DAY_MS - 1);
  const of = (name: string) => truth.map((row) => Number(row[name]));
  const columns: Columns = {
    e_plus_wh: of('ePlus'),
    e_minus_wh: of('eMinus'),
    p_avg_plus_w: of('pAvgPlus'),
    p_avg_minus_w: of('pAvgMinus'),
    s_avg_plus_va: of('sAvgPlus'),
    s_avg_minus_va: of('sAvgMinus'),
    u1_mv: null,
  };
  return { t: 'row', sn, dcu, profile: 'lpa', day: iso(begins), periodS: 900, leadS: 0, status: truth.map(() => 0), columns };
};

const freeze = (): Extract<Line, { t: 'daily' }> => {
  const day = localDay(BEGINS);
  const truth = dailyTruth(world, meter, day);
  const kwh = (wh: number | undefined) => ((wh ?? 0) / 1000).toFixed(4);
  const tariffs = (name: string, values: number[]) => values.map((wh, t) => [`${name}_t${t + 1}`, kwh(wh)] as const);
  const values = Object.fromEntries([...tariffs('e_plus', truth.ePlusT), ...tariffs('e_minus', truth.eMinusT)]);
  return { t: 'daily', sn, dcu, day: dayText(day), values: { e_plus: kwh(truth.ePlus), e_minus: kwh(truth.eMinus), ...values } };
};

type Profile = 'lpb' | 'energy';
const PERIOD_S = { lpb: 900, energy: 3600 } as const;
/** Stored columns of a single-phase meter, by their names in the truth. */
const TRUTH_OF: Record<Profile, Record<string, (row: ReturnType<typeof profileTruth>[number]) => number>> = {
  lpb: {
    u1_mv: (row) => Math.round(Number(row['u1']) * 1000),
    i1_ma: (row) => Math.round(Number(row['i1']) * 1000),
    pf_milli: (row) => Math.round(Number(row['pf']) * 1000),
  },
  energy: { e_plus_wh: (row) => Number(row['ePlus']), e_minus_wh: (row) => Number(row['eMinus']) },
};

/** A stored day of another profile of the meter. */
const rowOfProfile = (profile: Profile, begins: number): Row => {
  const truth = profileTruth(world, meter, profile, begins, begins + DAY_MS - 1);
  const columns = Object.fromEntries(Object.entries(TRUTH_OF[profile]).map(([name, of]) => [name, truth.map(of)]));
  return { t: 'row', sn, dcu, profile, day: iso(begins), periodS: PERIOD_S[profile], leadS: 0, status: truth.map(() => 0), columns };
};

/** The first event of the standard log, and its local day. */
const LOGGED = localDay(world.events(meter, 'standard', BEGINS - 300 * DAY_MS, BEGINS)[0]?.at ?? 0);
const LOG_DAY = dayText(LOGGED);
const EVENTS = world.events(meter, 'standard', dayStart(LOGGED), dayStart(LOGGED + 1) - 1);
const neighbour = other.sn;
const READ_AT = BEGINS + 5 * 3_600_000;
const register = (at: number) => world.register(meter, at, 'plus', 0);

const STRIKING = ['silence', 'half-open', 'imposter', 'crossed', 'endless-blocks'];
const targetOf = (kind: string): string =>
  kind === 'half-open' || kind === 'imposter' ? `${dcu}-${kind}` : kind === 'silence' ? neighbour : sn;

/** A history without violations, by the names of its parts. */
function honest() {
  return {
    begin: { t: 'begin', seed: SEED, scale: '1x2', at: BEGINS },
    counters: [1, 2, 3].map((counter) => ({ t: 'counter', sn, counter }) as Line),
    switched: [{ t: 'switched', sn, to: 'disconnected', at: BEGINS }] as Line[],
    acked: { t: 'acked', sn, profile: 'lpa', day: LOCAL_DAY, rows: 96 } as Extract<Line, { t: 'acked' }>,
    seen: { t: 'seen', sn, profile: 'lpa', day: iso(BEGINS), present: 96 } as Extract<Line, { t: 'seen' }>,
    mark: { t: 'mark', sn, profile: 'lpa', from: BEGINS, through: BEGINS + DAY_MS - 1 } as Extract<Line, { t: 'mark' }>,
    end: { t: 'end', at: BEGINS + 30 * DAY_MS } as Extract<Line, { t: 'end' }>,
    rows: [rowOf(BEGINS - DAY_MS), rowOf(BEGINS)],
    daily: freeze(),
    counted: [
      { t: 'counted', dcu, profile: 'lpa', got: 192 },
      { t: 'counted', dcu, profile: 'daily', got: 1 },
    ] as Extract<Line, { t: 'counted' }>[],
    command: { t: 'command', id: '1', sn, operation: 'disconnect', state: 'done', isSent: true, isFollowed: true } as Extract<
      Line,
      { t: 'command' }
    >,
    slots: { t: 'slots', sn, profile: 'lpa', due: 1000, got: 1000, explained: 0, isReachable: true } as Extract<Line, { t: 'slots' }>,
    alarms: [
      { t: 'pushed', sn, number: 1 },
      { t: 'pushed', sn, number: 1 },
      { t: 'confirmed', sn, number: 1 },
    ] as Line[],
    kept: { t: 'alarms', sn, kept: 1 } as Extract<Line, { t: 'alarms' }>,
    runs: { t: 'runs', plan: 'nightly', minute: NIGHT, from: BEGINS - 2 * DAY_MS, to: BEGINS + 2 * DAY_MS, at: NIGHTS } as Extract<
      Line,
      { t: 'runs' }
    >,
    acks: [
      { t: 'acked', sn, profile: 'lpb', day: LOCAL_DAY, rows: 96 },
      { t: 'acked', sn, profile: 'energy', day: LOCAL_DAY, rows: 24 },
      { t: 'acked', sn, profile: 'daily', day: LOCAL_DAY, to: LOCAL_DAY, rows: 1 },
    ] as Extract<Line, { t: 'acked' }>[],
    others: [-DAY_MS, 0].flatMap((ms) => (['lpb', 'energy'] as const).map((profile) => rowOfProfile(profile, BEGINS + ms))),
    othersCounted: [
      { t: 'counted', dcu, profile: 'lpb', got: 192 },
      { t: 'counted', dcu, profile: 'energy', got: 48 },
    ] as Line[],
    connect: { t: 'command', id: '2', sn, operation: 'connect', state: 'done', isSent: true, isFollowed: false } as Extract<
      Line,
      { t: 'command' }
    >,
    connected: [{ t: 'switched', sn, to: 'connected', at: BEGINS + 1 }] as Line[],
    register: {
      t: 'register',
      sn,
      item: 'E_PLUS',
      value: register(READ_AT),
      unit: 'Wh',
      from: READ_AT - 1000,
      to: READ_AT + 1000,
    } as Extract<Line, { t: 'register' }>,
    logRead: { t: 'log-read', sn, from: LOG_DAY, to: LOG_DAY } as Line,
    events: EVENTS.map(({ at, code }) => ({ t: 'event', sn, log: 'standard', code, at })) as Extract<Line, { t: 'event' }>[],
    faults: STRIKING.map((kind) => ({ t: 'fault', kind, seed: 1, targets: [targetOf(kind)] })) as Extract<Line, { t: 'fault' }>[],
    struck: STRIKING.map((kind) => ({ t: 'struck', kind, target: targetOf(kind), times: 1 })) as Extract<Line, { t: 'struck' }>[],
    sessions: [
      { t: 'session', dcu: `${dcu}-half-open`, reason: 'heartbeat_lost' },
      { t: 'session', dcu: `${dcu}-imposter`, reason: null },
      { t: 'session', dcu, reason: 'server_stopped' },
    ] as Extract<Line, { t: 'session' }>[],
    told: [
      { t: 'told', sn: `${dcu}-imposter`, code: FIELD_EVENT.notProved, message: '' },
      { t: 'told', sn, code: FIELD_EVENT.identityMismatch, message: '' },
    ] as Extract<Line, { t: 'told' }>[],
    ended: { t: 'ended', sn, reason: 'ANSWER_TOO_LONG', times: 1 } as Extract<Line, { t: 'ended' }>,
    longest: { t: 'longest', sn, octets: 4_100_000 } as Extract<Line, { t: 'longest' }>,
    blocks: {
      t: 'blocks',
      blocks: 9,
      buffers: (['LPA', 'LPB', 'ENERGY', 'DAILY'] as const).map((key) => ({
        instance: WELL_KNOWN[key].instance,
        reads: 2,
        inBlocks: 1,
      })),
    } as Extract<Line, { t: 'blocks' }>,
    more: [] as Line[],
  };
}

const altered = (kind: string): Line => ({ t: 'altered', sn, kind, at: BEGINS });

type History = ReturnType<typeof honest>;
/** Changes of the truth precede the stored data, as in a campaign.  */
const judged = ({ begin, more, ...history }: History) => judge([begin, more, ...Object.values(history)].flat() as Line[]); // as: every part is a line or some
const slotAt = (values: (number | null)[] | null | undefined, slot: number): number => values?.[slot] ?? 0;

test('accepts a correct history', async () => {
  const { violations, judged: seen } = await judged(honest());
  expect(violations).toEqual([]);
  expect(seen).toMatchObject({ captures: 432, freezes: 1, registers: 1, acknowledgements: 8, counters: 3, commands: 2, strikes: 5 });
  expect(seen.events).toBeGreaterThan(0);
  expect(seen.values).toBeGreaterThan(1000);
});

test('accepts an unknown result of a command that another one followed', async () => {
  const history = honest();
  history.command.state = 'unknown';
  expect((await judged(history)).violations).toEqual([]);
});

test('accepts an aborted response whose item was repeated, since its meter was paused', async () => {
  const history = honest();
  history.ended.reason = 'SET_ASIDE';
  expect((await judged(history)).violations).toEqual([]);
});

describe('a replacement meter', () => {
  const fresh = `31${other.sn.slice(2)}`;
  const at = BEGINS + 9_950;
  const lines = (through: number): Line[] => [
    { t: 'exchanged', sn: other.sn, at },
    { t: 'event', sn: fresh, log: 'standard', code: 2, at: BEGINS + 9_000 },
    { t: 'mark', sn: fresh, profile: 'lpa', from: BEGINS - DAY_MS, through },
  ];
  const judgedWith = async (through: number) => {
    const history = honest();
    history.more.push(...lines(through));
    return (await judged(history)).violations;
  };

  test('owes nothing from before, and starts in the second of its log', async () => {
    expect(await judgedWith(BEGINS + 60_000)).toEqual([]);
  });
  test('leaves the outcome of a command to the former one unknown', async () => {
    const history = honest();
    history.command.state = 'unknown';
    history.command.isFollowed = false;
    const found = expect.objectContaining({ what: expect.stringContaining('still unknown') });
    expect((await judged(history)).violations).toContainEqual(found);
    history.more.push({ t: 'exchanged', sn: history.command.sn, at });
    expect((await judged(history)).violations).not.toContainEqual(found);
  });
  test('owes its captures since then', async () => {
    expect(await judgedWith(BEGINS + 1_800_000)).toEqual([{ guarantee: 'G1', what: expect.stringContaining('2 captures are missing') }]);
  });
});

describe('finds', () => {
  const PLANTED: [Guarantee, string, (history: History) => unknown][] = [
    ['G1', 'an acknowledged capture that is lost', ({ rows }) => rows[1]?.status.fill(null, 10, 11) && empty(rows[1], 10)],
    ['G1', 'a whole day that is lost', (history) => history.rows.pop()],
    ['G1', 'a success that reports fewer captures than exist', (history) => (history.acked.rows = 95)],
    ['G2', 'a capture that is stored twice', (history) => history.rows.push(rowOf(BEGINS))],
    ['G1', 'a confirmed alarm that is not stored', ({ kept }) => (kept.kept = 0)],
    ['G2', 'an alarm that is stored twice', ({ kept }) => (kept.kept = 2)],
    ['G2', 'a capture that is counted twice', ({ counted }) => counted.forEach((one) => one.got++)],
    ['G3', 'a value that no meter measured', ({ rows }) => set(rows[1], 'e_plus_wh', 50, (value) => value + 1)],
    ['G3', 'a value under the name of another quantity', ({ rows }) => swap(rows[1], 'e_plus_wh', 'p_avg_plus_w')],
    [
      'G3',
      'a value in the slot of its neighbour',
      ({ rows }) => set(rows[1], 'e_plus_wh', 8, () => slotAt(rows[1]?.columns['e_plus_wh'], 7)),
    ],
    ['G3', 'a value that is missing in a capture', ({ rows }) => set(rows[1], 's_avg_plus_va', 3, () => null)],
    [
      'G3',
      'a quantity that the meter does not capture',
      ({ rows }) => rows[1] && (rows[1].columns['u1_mv'] = rows[1].status.map(() => 230_000)),
    ],
    ['G3', 'a capture from the future', (history) => (history.end.at = BEGINS + 3_600_000)],
    ['G3', 'readings of a meter that does not exist', ({ rows }) => rows[1] && (rows[1].sn = 'NOBODY')],
    ['G3', 'a wrong freeze', ({ daily }) => (daily.values['e_plus_t1'] = '0.0010')],
    ['G4', 'a command that was executed twice', ({ switched }) => switched.push(...switched)],
    ['G4', 'a command that is reported done and was not executed', (history) => (history.switched = [])],
    ['G4', 'a command that stays unknown although none followed', ({ connect }) => (connect.state = 'unknown')],
    ['G4', 'an executed command that is reported failed', ({ command }) => (command.state = 'failed')],
    [
      'G4',
      'a supply that was disconnected without a command',
      ({ switched }) => switched.push({ t: 'switched', sn: other.sn, to: 'disconnected', at: 0 }),
    ],
    ['G5', 'a reused counter', ({ counters }) => counters.push({ t: 'counter', sn, counter: 2 })],
    ['recovery', 'meters that do not recover', ({ more }) => more.push({ t: 'stuck', kind: 'torn', seed: 1, what: 'one meter' })],
    ['completeness', 'missing slots without a record', ({ slots }) => (slots.got = 999)],
    ['completeness', 'too many missing, however well explained', ({ slots }) => Object.assign(slots, { got: 990, explained: 10 })],
    ['schedule', 'a skipped run', ({ runs }) => runs.at.splice(1, 1)],
    ['schedule', 'a duplicate run', ({ runs }) => runs.at.push((runs.at[1] ?? 0) + 3_600_000)],
    ['G1', 'a watermark ahead of the stored data', ({ more }) => more.push({ t: 'unkept', sn, profile: 'lpa', through: BEGINS })],
    ['G1', 'an acknowledged freeze that is lost', (history) => Reflect.deleteProperty(history, 'daily')],
    ['G1', 'an hour of energy that is lost', ({ others }) => others[3]?.status.fill(null, 5, 6) && empty(others[3], 5)],
    ['G1', 'an event that was read and is lost', ({ events }) => events.pop()],
    ['G2', 'an event that is stored twice', ({ events }) => events.push(...events)],
    ['G3', 'an event that never occurred', ({ events }) => events.push({ t: 'event', sn, log: 'fraud', code: 40, at: BEGINS })],
    ['G3', 'a voltage that no meter measured', ({ others }) => set(others[2], 'u1_mv', 9, (value) => value + 100)],
    ['G3', 'a register above its true value', (history) => (history.register.value = register(READ_AT + DAY_MS))],
    [
      'G3',
      'a value that was stored wrongly and corrected',
      ({ more }) => more.push({ t: 'correction', sn, profile: 'lpa', at: BEGINS, column: 'e_plus_wh', former: 1, value: 2 }),
    ],
    ['G3', 'a capture of the former period after it was changed', ({ more }) => more.push(altered('other_period'))],
    ['G3', 'a value of the former scaler after it was changed', ({ more }) => more.push(altered('other_scaler'))],
    ['G3', 'a reading of a meter after its removal', ({ more }) => more.push({ t: 'exchanged', sn, at: BEGINS })],
    ['G4', 'a supply that was switched on twice', ({ connected }) => connected.push(...connected)],
    ['G4', 'a reconnection that is reported done and was not executed', (history) => (history.connected = [])],
    ['strike', 'a fault without effect', ({ struck }) => struck.forEach((one) => one.kind === 'silence' && (one.times = 0))],
    ['strike', 'a profile that was never transferred in blocks', ({ blocks }) => blocks.buffers.forEach((one) => (one.inBlocks = 0))],
    ['presence', 'an unresponsive DCU that was not set offline', ({ sessions }) => (sessions[0]!.reason = null)],
    ['presence', 'a connected DCU that was set offline', ({ sessions }) => (sessions[2]!.reason = 'heartbeat_lost')],
    ['presence', 'a DCU that was replaced by a caller without keys', ({ sessions }) => (sessions[1]!.reason = 'replaced')],
    ['presence', 'a caller without keys that was not reported', ({ told }) => told.shift()],
    ['identity', 'responses of another meter that were not reported', ({ told }) => told.pop()],
    [
      'identity',
      'a meter that is wrongly reported as another',
      ({ told }) => told.push({ t: 'told', sn: other.sn, code: FIELD_EVENT.identityMismatch, message: '' }),
    ],
    ['limits', 'an endless response that was not aborted', ({ ended }) => (ended.reason = 'METER_TIMEOUT')],
    ['limits', 'a response of which too much was accepted', ({ longest }) => (longest.octets = 5_000_000)],
    ['limits', 'neighbours that were delayed by it', ({ more }) => more.push({ t: 'starved', sn: other.sn, by: 'endless-blocks' })],
    ['history', 'a history without an end', (history) => Reflect.deleteProperty(history, 'end')],
  ];

  test.each(PLANTED)('%s: %s', async (guarantee, _what, plant) => {
    const history = honest();
    plant(history);
    const { violations } = await judged(history);
    expect(violations.map((violation) => violation.guarantee)).toContain(guarantee);
  });
});

describe('a direct meter', () => {
  const [direct] = createWorld(SEED, { dcus: 1, metersPerDcu: 2 }, undefined, { count: 1 }).plan.meters.filter(({ isDirect }) => isDirect);
  if (direct === undefined) throw new Error('No direct meter');
  const own = { sn: direct.sn, dcu: direct.sn };
  const truth = profileTruth(
    createWorld(SEED, { dcus: 1, metersPerDcu: 2 }, undefined, { count: 1 }),
    direct,
    'energy',
    BEGINS,
    BEGINS + DAY_MS - 1,
  );
  const stored = (): Row => {
    const columns = Object.fromEntries(Object.entries(TRUTH_OF.energy).map(([name, of]) => [name, truth.map(of)]));
    return { ...rowOfProfile('energy', BEGINS), ...own, columns };
  };
  const judgedWith = (row: Row, more: Line[] = []) =>
    judge([
      { t: 'begin', seed: SEED, scale: '1x2', direct: 1, at: BEGINS },
      { t: 'end', at: BEGINS + 30 * DAY_MS },
      ...more,
      row,
      { t: 'counted', dcu: own.dcu, profile: 'energy', got: 24 },
    ]);

  test('is compared with its own truth', async () => {
    expect(await judgedWith(stored())).toMatchObject({ violations: [], judged: { captures: 24, values: 48 } });
    const wrong = stored();
    set(wrong, 'e_plus_wh', 7, (value) => value + 1);
    expect((await judgedWith(wrong)).violations).toMatchObject([{ guarantee: 'G3' }]);
  });
  test('has to be struck by a fault of its own, besides that of a DCU', async () => {
    const faults = [[dcu], [direct.sn]].map((targets): Line => ({ t: 'fault', kind: 'torn', seed: 1, targets }));
    const struck = [dcu, direct.sn].map((target): Line => ({ t: 'struck', kind: 'torn', target, times: target === dcu ? 3 : 0 }));
    expect((await judgedWith(stored(), [...faults, ...struck])).violations).toEqual([
      { guarantee: 'strike', what: `torn did not strike ${direct.sn}` },
    ]);
  });
  test('that is silent may be set offline, and must be if its heartbeats are missing for long', async () => {
    const session = (reason: string | null): Line => ({ t: 'session', dcu: direct.sn, reason });
    const fault = (kind: string): Line => ({ t: 'fault', kind, seed: 1, targets: [direct.sn] });
    expect((await judgedWith(stored(), [fault('silence'), session('heartbeat_lost')])).violations).toEqual([]);
    expect((await judgedWith(stored(), [fault('silent-dcu'), session(null)])).violations).toMatchObject([{ guarantee: 'presence' }]);
  });
});

describe('F21: at a time that is skipped or repeated, a plan must', () => {
  const [from, to] = ['2026-10-24T00:00:00+02:00', '2026-10-26T12:00:00+01:00'].map((text) => Date.parse(text));
  const nightly = (at: string[]) =>
    judge([
      { t: 'begin', seed: SEED, scale: '1x2', at: from ?? 0, timeZone: 'Europe/Berlin' },
      { t: 'end', at: to ?? 0 },
      { t: 'runs', plan: 'nightly', minute: NIGHT, from: from ?? 0, to: to ?? 0, at: at.map((text) => Date.parse(text)) },
    ]);
  const first = '2026-10-25T00:30:00Z';
  const again = '2026-10-25T01:30:00Z';

  test('run at the first', async () => {
    expect((await nightly([first])).violations).toEqual([]);
  });
  test('not run at both', async () => {
    expect((await nightly([first, again])).violations).toMatchObject([{ guarantee: 'schedule' }]);
  });
});

function set(row: Row | undefined, column: string, slot: number, change: (value: number) => number | null): void {
  const values = row?.columns[column];
  if (values) values[slot] = change(values[slot] ?? 0);
}

function swap(row: Row | undefined, a: string, b: string): void {
  if (row) [row.columns[a], row.columns[b]] = [row.columns[b] ?? null, row.columns[a] ?? null];
}

function empty(row: Row, slot: number): void {
  for (const column of Object.keys(row.columns)) set(row, column, slot, () => null);
}
