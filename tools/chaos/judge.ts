import { SLOT_MS, parseDay } from '../../apps/simulator/src/world/calendar.ts';
import { dailyTruth, profileTruth, type ProfileTruthRow } from '../../apps/simulator/src/control/truth.ts';
import { hourLeadMs, type LocalTime } from '../../apps/simulator/src/world/local-time.ts';
import { parseScale } from '../../apps/simulator/src/world/scale.ts';
import { createWorld, type World } from '../../apps/simulator/src/world/world.ts';
import type { IntervalProfile, Line } from './history.ts';

/** What a head-end must never do, whatever happens to it. */
export type Guarantee = 'G1' | 'G2' | 'G3' | 'G4' | 'G5' | 'recovery' | 'completeness' | 'schedule' | 'history';

export interface Violation {
  guarantee: Guarantee;
  what: string;
}

export interface Verdict {
  violations: Violation[];
  /** How much was looked at: a judge that has seen nothing finds nothing. */
  judged: {
    values: number;
    captures: number;
    acknowledgements: number;
    counters: number;
    commands: number;
    kills: number;
    faults: number;
    slots: number;
    missing: number;
  };
}

const DAY_MS = 86_400_000;
const SLOTS_OF_DAY = DAY_MS / SLOT_MS;
/** Of the slots of a reachable meter, so many must be there after days. */
const COMPLETE = 0.999;
const PERIOD_S: Record<IntervalProfile, number> = { lpa: 900, lpb: 900, energy: 3600 };
const DONE_BY: Record<string, string> = { disconnect: 'disconnected', connect: 'connected' };

const MINUTE_MS = 60_000;
/** What a clock on the wall shows, minutes since midnight. */
const minuteOf = (local: LocalTime, at: number): number =>
  Math.floor((at - local.deviationMinutes(at) * MINUTE_MS) / MINUTE_MS) % (DAY_MS / MINUTE_MS);

type Of<T extends Line['t']> = Extract<Line, { t: T }>;
type Values = number | string | number[] | undefined;

const one = (values: Values, index: number): number => (Array.isArray(values) ? (values[index] ?? Number.NaN) : Number.NaN);
const milli = (value: number): number => Math.round(value * 1000);

/** What a column must hold, from the truth of its slot. */
const TRUE_VALUE: Record<string, (row: ProfileTruthRow) => number> = {
  e_plus_wh: (row) => Number(row['ePlus']),
  e_minus_wh: (row) => Number(row['eMinus']),
  p_avg_plus_w: (row) => Number(row['pPlus']),
  p_avg_minus_w: (row) => Number(row['pMinus']),
  s_avg_plus_va: (row) => Number(row['sPlus']),
  s_avg_minus_va: (row) => Number(row['sMinus']),
  u1_mv: (row) => milli(one(row['u'], 0)),
  u2_mv: (row) => milli(one(row['u'], 1)),
  u3_mv: (row) => milli(one(row['u'], 2)),
  i1_ma: (row) => milli(one(row['i'], 0)),
  i2_ma: (row) => milli(one(row['i'], 1)),
  i3_ma: (row) => milli(one(row['i'], 2)),
  i0_ma: (row) => milli(Number(row['i0'])),
  pf_milli: (row) => milli(Number(row['pf'])),
  pf1_milli: (row) => milli(one(row['pfs'], 0)),
  pf2_milli: (row) => milli(one(row['pfs'], 1)),
  pf3_milli: (row) => milli(one(row['pfs'], 2)),
};

const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const countOf = (status: readonly (number | null)[]): number => status.filter((word) => word !== null).length;
const add = (sums: Map<string, number>, key: string, count: number): void => void sums.set(key, (sums.get(key) ?? 0) + count);

/** Judges one history. It is read once, line by line; only what is compared later is kept. */
class Judge {
  readonly violations: Violation[] = [];
  readonly judged: Verdict['judged'] = {
    values: 0,
    captures: 0,
    acknowledgements: 0,
    counters: 0,
    commands: 0,
    kills: 0,
    faults: 0,
    slots: 0,
    missing: 0,
  };
  #world: World | undefined;
  #endsAt = Number.NaN;
  readonly #counters = new Map<string, Set<number>>();
  readonly #switched = new Map<string, number>();
  readonly #claims: (Of<'acked'> | Of<'seen'> | Of<'mark'>)[] = [];
  readonly #commands: Of<'command'>[] = [];
  /** Numbers of alarms, by serial. */
  readonly #alarms = { pushed: new Map<string, Set<number>>(), confirmed: new Map<string, Set<number>>() };
  readonly #alarmsKept = new Map<string, number>();
  /** Stamps that are stored, by serial and profile. */
  readonly #stored = new Map<string, Set<number>>();
  readonly #present = new Map<string, number>();
  readonly #counted = new Map<string, number>();

  #find(guarantee: Guarantee, what: string): void {
    this.violations.push({ guarantee, what });
  }

  take(line: Line): void {
    switch (line.t) {
      case 'begin': {
        const scale = parseScale(line.scale);
        if (scale === undefined) return this.#find('history', `Nobody knows the scale ${line.scale}`);
        this.#world = createWorld(line.seed, scale, line.timeZone);
        return;
      }
      case 'end':
        this.#endsAt = line.at;
        return;
      case 'fault':
        this.judged.faults++;
        return;
      case 'killed':
        this.judged.kills++;
        return;
      case 'recovered':
        return;
      case 'stuck':
        return this.#find('recovery', `After ${line.kind} (seed ${line.seed}): ${line.what}`);
      case 'counter':
        return this.#counter(line);
      case 'switched':
        return add(this.#switched, `${line.sn} ${line.to}`, 1);
      case 'command':
        return void this.#commands.push(line);
      case 'acked':
      case 'seen':
      case 'mark':
        return void this.#claims.push(line);
      case 'row':
        return this.#row(line);
      case 'daily':
        return this.#daily(line);
      case 'counted':
        return add(this.#counted, `${line.dcu} ${line.profile}`, line.got);
      case 'runs':
        return this.#runs(line);
      case 'slots':
        return this.#completeness(line);
      case 'pushed':
      case 'confirmed':
        return this.#alarm(line);
      case 'alarms':
        return void this.#alarmsKept.set(line.sn, line.kept);
    }
  }

  #alarm({ t, sn, number }: Of<'pushed' | 'confirmed'>): void {
    const numbers = this.#alarms[t].get(sn);
    if (numbers === undefined) this.#alarms[t].set(sn, new Set([number]));
    else numbers.add(number);
  }

  /** An alarm that is told again is the same one, and one that was confirmed is there. */
  #keptAlarms(): void {
    for (const [sn, kept] of this.#alarmsKept) {
      const told = this.#alarms.pushed.get(sn)?.size ?? 0;
      if (kept > told) this.#find('G2', `${sn}: ${kept} alarms are kept, ${told} were told`);
    }
    for (const [sn, confirmed] of this.#alarms.confirmed) {
      const kept = this.#alarmsKept.get(sn) ?? 0;
      this.judged.acknowledgements += confirmed.size;
      if (kept < confirmed.size) this.#find('G1', `${sn}: ${confirmed.size} alarms were confirmed, ${kept} are kept`);
    }
  }

  #counter({ sn, counter }: Of<'counter'>): void {
    this.judged.counters++;
    let used = this.#counters.get(sn);
    if (used === undefined) this.#counters.set(sn, (used = new Set()));
    if (used.has(counter)) this.#find('G5', `${sn}: counter ${counter} was used a second time`);
    used.add(counter);
  }

  #row({ sn, dcu, profile, day, periodS, leadS, status, columns }: Of<'row'>): void {
    const begins = dayMs(day) + leadS * 1000;
    const meter = this.#world?.meterBySn.get(sn);
    if (this.#world === undefined || meter === undefined) return this.#find('G3', `${sn}: readings of a meter that does not exist`);
    const key = `${sn} ${profile}`;
    let stored = this.#stored.get(key);
    if (stored === undefined) this.#stored.set(key, (stored = new Set()));
    const truth = new Map(profileTruth(this.#world, meter, profile, begins, begins + DAY_MS - 1).map((row) => [Date.parse(row.at), row]));
    add(this.#present, `${dcu} ${profile}`, countOf(status));
    for (const [slot, word] of status.entries()) {
      const at = begins + slot * periodS * 1000;
      const row = truth.get(at);
      const where = `${sn} ${profile} ${new Date(at).toISOString()}`;
      const held = Object.entries(columns).filter(([, values]) => values?.[slot] !== null && values?.[slot] !== undefined);
      if (word === null) {
        if (held.length > 0) this.#find('G3', `${where}: a value where nothing was captured`);
        continue;
      }
      if (stored.has(at)) this.#find('G2', `${where}: stored twice`);
      stored.add(at);
      this.judged.captures++;
      if (row === undefined || at > this.#endsAt) this.#find('G3', `${where}: nothing was captured then`);
      else this.#values(where, row, profile, new Map(held.map(([name, values]) => [name, values?.[slot] ?? Number.NaN])));
    }
  }

  #values(where: string, row: ProfileTruthRow, profile: IntervalProfile, held: ReadonlyMap<string, number>): void {
    for (const [name, trueValue] of Object.entries(TRUE_VALUE)) {
      const wanted = trueValue(row);
      const value = held.get(name);
      if (Number.isNaN(wanted) && value === undefined) continue;
      this.judged.values++;
      if (value !== wanted) this.#find('G3', `${where}: ${name} of ${profile} is ${value ?? 'missing'} and was ${wanted}`);
    }
  }

  #daily({ sn, dcu, day, values }: Of<'daily'>): void {
    const meter = this.#world?.meterBySn.get(sn);
    const number = parseDay(day);
    if (this.#world === undefined || meter === undefined || number === undefined)
      return this.#find('G3', `${sn}: a freeze of a meter that does not exist`);
    add(this.#present, `${dcu} daily`, 1);
    if (this.#world.localTime.startOf(number) > this.#endsAt) this.#find('G3', `${sn} ${day}: frozen before that day`);
    const truth = dailyTruth(this.#world, meter, number);
    const wanted: Record<string, number> = { e_plus: truth.ePlus, e_minus: truth.eMinus };
    for (const [t, value] of truth.ePlusT.entries()) wanted[`e_plus_t${t + 1}`] = value;
    for (const [t, value] of truth.eMinusT.entries()) wanted[`e_minus_t${t + 1}`] = value;
    for (const [name, wh] of Object.entries(wanted)) {
      const value = values[name] ?? null;
      this.judged.values++;
      if (value === null || Math.round(Number(value) * 1000) !== wh)
        this.#find('G3', `${sn} ${day}: ${name} is ${value ?? 'missing'} kWh and was ${wh} Wh`);
    }
  }

  #completeness({ sn, profile, due, got, explained, isReachable }: Of<'slots'>): void {
    if (due > got + explained)
      this.#find('completeness', `${sn} ${profile}: ${due - got - explained} of ${due} slots are missing without a word`);
    if (!isReachable) return;
    this.judged.slots += due;
    this.judged.missing += due - got;
  }

  /** Once for each day: at its minute, the first time it comes, or as soon as a gap of the clock is over. */
  #runs({ plan, minute, from, to, at }: Of<'runs'>): void {
    const local = this.#world?.localTime;
    if (local === undefined) return;
    const dues: number[] = [];
    for (let day = local.dayOf(from) + 1; local.startOf(day + 1) <= to; day++) {
      let due = local.startOf(day);
      while (minuteOf(local, due) < minute && local.dayOf(due + SLOT_MS) === day) due += SLOT_MS;
      dues.push(due);
    }
    if (dues.length === 0) this.#find('history', `${plan}: no whole day was seen`);
    for (const [index, due] of dues.entries()) {
      const next = dues[index + 1] ?? due + DAY_MS / 2;
      const runs = at.filter((moment) => moment >= due && moment < next).length;
      if (runs !== 1) this.#find('schedule', `${plan}: ${runs} runs for ${new Date(due).toISOString()} (${local.timeZone})`);
    }
  }

  /** What was acknowledged, or seen, or claimed, is there in the end. */
  #keep(claim: Of<'acked'> | Of<'seen'> | Of<'mark'>): void {
    this.judged.acknowledgements++;
    const stored = this.#stored.get(`${claim.sn} ${claim.profile}`) ?? new Set<number>();
    const stepMs = PERIOD_S[claim.profile] * 1000;
    const missing = (from: number, to: number): number => {
      let count = 0;
      const lead = this.#world === undefined ? 0 : hourLeadMs(this.#world.localTime, from) % stepMs;
      for (let at = Math.ceil((from - lead) / stepMs) * stepMs + lead; at <= to; at += stepMs) if (!stored.has(at)) count++;
      return count;
    };
    const where = `${claim.sn} ${claim.profile}`;
    if (claim.t === 'mark') {
      const lost = missing(claim.from, claim.through);
      if (lost > 0)
        this.#find(
          'G1',
          `${where}: collection has everything through ${new Date(claim.through).toISOString()}, and ${lost} captures are not there`,
        );
    } else if (claim.t === 'seen') {
      const begins = dayMs(claim.day);
      const now = DAY_MS / stepMs - missing(begins, begins + DAY_MS - 1);
      if (now < claim.present) this.#find('G1', `${where} ${claim.day}: ${claim.present} captures were there, ${now} are`);
    } else {
      const begins = this.#world?.localTime.startOf(parseDay(claim.day) ?? Number.NaN) ?? Number.NaN;
      const lost = missing(begins, begins + DAY_MS - 1);
      if (lost > 0) this.#find('G1', `${where} ${claim.day}: success was told, and ${lost} captures are not there`);
      const whole = (SLOTS_OF_DAY * SLOT_MS) / stepMs;
      if (claim.rows !== whole) this.#find('G1', `${where} ${claim.day}: success was told of ${claim.rows} captures, there were ${whole}`);
    }
  }

  /** Carried out at most once, and known as what it was. */
  #command({ id, sn, operation, state, isSent }: Of<'command'>): void {
    this.judged.commands++;
    const to = DONE_BY[operation] ?? operation;
    const ordered = this.#commands.filter((other) => other.sn === sn && other.operation === operation && other.isSent).length;
    const carriedOut = this.#switched.get(`${sn} ${to}`) ?? 0;
    const name = `command ${id} (${operation} ${sn})`;
    if (carriedOut > ordered) this.#find('G4', `${name}: carried out ${carriedOut} times, sent ${ordered} times`);
    if (!isSent) return;
    if (state === 'done' && carriedOut === 0) this.#find('G4', `${name}: said to be done, and never carried out`);
    if (state !== 'done' && carriedOut >= ordered) this.#find('G4', `${name}: carried out, and said to be ${state}`);
    if (state === 'sent' || state === 'unknown') this.#find('G4', `${name}: still ${state} after its relay was read`);
  }

  end(): Verdict {
    if (this.#world === undefined || Number.isNaN(this.#endsAt)) this.#find('history', 'It has no beginning or no end');
    for (const claim of this.#claims) this.#keep(claim);
    for (const command of this.#commands) this.#command(command);
    this.#keptAlarms();
    for (const key of new Set([...this.#switched.keys()].map((entry) => entry.split(' ')[0])))
      if (!this.#commands.some((command) => command.sn === key)) this.#find('G4', `${key}: switched, and nobody ordered it`);
    // A sample of the readings says nothing about the sums.
    for (const [key, count] of this.#counted.size > 0 ? this.#present : []) {
      const counted = this.#counted.get(key) ?? 0;
      if (counted !== count) this.#find('G2', `${key}: ${count} captures are stored, ${counted} were counted as they arrived`);
    }
    const { slots, missing } = this.judged;
    if (missing > slots * (1 - COMPLETE))
      this.#find('completeness', `${missing} of ${slots} slots of meters that could be reached are missing`);
    return { violations: this.violations, judged: this.judged };
  }
}

/** Everything a history proves against the head-end. The end of the time it tells of must stand before its stored rows. */
export async function judge(history: AsyncIterable<Line> | Iterable<Line>): Promise<Verdict> {
  const judging = new Judge();
  for await (const line of history) judging.take(line);
  return judging.end();
}
