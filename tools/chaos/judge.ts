import { SLOT_MS, parseDay } from '../../apps/simulator/src/world/calendar.ts';
import type { ProfileTruthRow } from '../../apps/simulator/src/control/truth.ts';
import type { EventLog } from '../../apps/simulator/src/world/events.ts';
import type { LocalTime } from '../../apps/simulator/src/world/local-time.ts';
import type { Guarantee, IntervalProfile, Line, Violation } from './history.ts';
import { expectationsOf } from './judge-expected.ts';
import { NOT_CACHED, TRUE_VALUE, Truth } from './judge-truth.ts';

export interface Verdict {
  violations: Violation[];
  /** Amount of compared data: a judge without data finds no violations. */
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
    /** Freezes, registers that were read, events of meters, and blocks of GET responses. */
    freezes: number;
    registers: number;
    events: number;
    blocks: number;
    strikes: number;
  };
}

const DAY_MS = 86_400_000;
/** Required share of the slots of a reachable meter after days. */
const COMPLETE = 0.999;
const LOGS: readonly EventLog[] = ['standard', 'fraud', 'quality'];
const DONE_BY: Record<string, string> = { disconnect: 'disconnected', connect: 'connected' };

const MINUTE_MS = 60_000;
/** Local time in minutes since midnight. */
const minuteOf = (local: LocalTime, at: number): number =>
  Math.floor((at - local.deviationMinutes(at) * MINUTE_MS) / MINUTE_MS) % (DAY_MS / MINUTE_MS);

type Of<T extends Line['t']> = Extract<Line, { t: T }>;
const iso = (at: number): string => new Date(at).toISOString();
const dayMs = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const countOf = (status: readonly (number | null)[]): number => status.filter((word) => word !== null).length;
const add = (sums: Map<string, number>, key: string, count: number): void => void sums.set(key, (sums.get(key) ?? 0) + count);

function remember(sets: Map<string, Set<string>>, key: string, entry: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([entry]));
  else known.add(entry);
}

/** Judges one history in a single pass; only data for later comparisons is kept. */
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
    freezes: 0,
    registers: 0,
    events: 0,
    blocks: 0,
    strikes: 0,
  };
  #truth: Truth | undefined;
  /** Meters that were taken away. */
  readonly #exchanged = new Set<string>();
  #endsAt = Number.NaN;
  readonly #counters = new Map<string, Set<number>>();
  readonly #switched = new Map<string, number>();
  readonly #claims: (Of<'acked'> | Of<'seen'> | Of<'mark'> | Of<'log-read'>)[] = [];
  /** Lines for the comparison with the expected effects of faults. */
  readonly #notes: Line[] = [];
  /** Days of freezes, and events with log and code, by serial number. */
  readonly #freezes = new Map<string, Set<string>>();
  readonly #events = new Map<string, Set<string>>();
  readonly #movedDcus = new Set<string>();
  readonly #commands: Of<'command'>[] = [];
  /** Numbers of alarms, by serial number. */
  readonly #alarms = { pushed: new Map<string, Set<number>>(), confirmed: new Map<string, Set<number>>() };
  readonly #alarmsKept = new Map<string, number>();
  /** Stored stamps, by serial number and profile. */
  readonly #stored = new Map<string, Set<number>>();
  readonly #present = new Map<string, number>();
  readonly #counted = new Map<string, number>();

  #find(guarantee: Guarantee, what: string): void {
    this.violations.push({ guarantee, what });
  }

  take(line: Line): void {
    switch (line.t) {
      case 'begin':
        this.#truth = Truth.of(line);
        if (this.#truth === undefined) this.#find('history', `Unknown scale ${line.scale}`);
        return;
      case 'end':
        this.#endsAt = line.at;
        return;
      case 'killed':
        this.judged.kills++;
        return;
      case 'recovered':
        return;
      case 'stuck':
        return this.#find('recovery', `After ${line.kind} (seed ${line.seed}): ${line.what}`);
      case 'altered':
        return this.#truth?.alter(line);
      case 'exchanged':
        this.#exchanged.add(line.sn);
        return this.#truth?.exchange(line.sn, line.at);
      case 'foreign':
        return this.#truth?.replaceByForeign(line.sn);
      case 'moved':
        return void this.#movedDcus.add(line.from).add(line.to);
      default:
        return this.#hear(line);
    }
  }

  #hear(
    line: Exclude<Line, { t: 'begin' | 'end' | 'killed' | 'recovered' | 'stuck' | 'altered' | 'exchanged' | 'foreign' | 'moved' }>,
  ): void {
    switch (line.t) {
      case 'fault':
        this.judged.faults++;
        return void this.#notes.push(line);
      case 'struck':
        this.judged.strikes += line.times;
        return void this.#notes.push(line);
      case 'blocks':
        this.judged.blocks += line.blocks;
        return void this.#notes.push(line);
      case 'told':
      case 'session':
      case 'ended':
      case 'longest':
      case 'starved':
        return void this.#notes.push(line);
      case 'counter':
        return this.#counter(line);
      case 'switched':
        return add(this.#switched, `${line.sn} ${line.to}`, 1);
      case 'command':
        return void this.#commands.push(line);
      case 'acked':
      case 'seen':
      case 'mark':
      case 'log-read':
        return void this.#claims.push(line);
      case 'unkept':
        return this.#find(
          'G1',
          `${line.sn} ${line.profile}: collection claimed completeness through ${iso(line.through)}, which was not stored`,
        );
      case 'row':
        return this.#row(line);
      case 'daily':
        return this.#daily(line);
      case 'register':
        return this.#register(line);
      case 'event':
        return this.#event(line);
      case 'correction':
        return this.#correction(line);
      case 'counted':
        return add(this.#counted, this.#placeOf(line.dcu, line.profile), line.got);
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

  /** Captures of a moved meter count at the DCU of their arrival, but are stored under its present DCU: such DCUs are compared together. */
  #placeOf(dcu: string, profile: string): string {
    return `${this.#movedDcus.has(dcu) ? 'DCUs of moved meters' : dcu} ${profile}`;
  }

  #alarm({ t, sn, number }: Of<'pushed' | 'confirmed'>): void {
    const numbers = this.#alarms[t].get(sn);
    if (numbers === undefined) this.#alarms[t].set(sn, new Set([number]));
    else numbers.add(number);
  }

  /** Compares alarms: a repeated alarm is the same one, and a confirmed one is stored. */
  #keptAlarms(): void {
    for (const [sn, kept] of this.#alarmsKept) {
      const pushed = this.#alarms.pushed.get(sn)?.size ?? 0;
      if (kept > pushed) this.#find('G2', `${sn}: ${kept} alarms are stored, ${pushed} were sent`);
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
    const truth = this.#truth;
    const meter = truth?.meter(sn);
    if (truth === undefined || meter === undefined) return this.#find('G3', `${sn}: readings of a meter that does not exist`);
    const key = `${sn} ${profile}`;
    let stored = this.#stored.get(key);
    if (stored === undefined) this.#stored.set(key, (stored = new Set()));
    const rows = truth.rows(meter, profile, begins);
    add(this.#present, this.#placeOf(dcu, profile), countOf(status));
    for (const [slot, word] of status.entries()) {
      const at = begins + slot * periodS * 1000;
      const row = rows.get(at);
      const where = `${sn} ${profile} ${iso(at)}`;
      const held = Object.entries(columns).filter(([, values]) => values?.[slot] !== null && values?.[slot] !== undefined);
      if (word === null) {
        if (held.length > 0) this.#find('G3', `${where}: a value where nothing was captured`);
        continue;
      }
      if (stored.has(at)) this.#find('G2', `${where}: stored twice`);
      stored.add(at);
      this.judged.captures++;
      if (row === undefined || at > this.#endsAt) this.#find('G3', `${where}: nothing was captured then`);
      else this.#values({ sn, at, where }, row, profile, new Map(held.map(([name, values]) => [name, values?.[slot] ?? Number.NaN])));
    }
  }

  #values(
    { sn, at, where }: { sn: string; at: number; where: string },
    row: ProfileTruthRow,
    profile: IntervalProfile,
    held: ReadonlyMap<string, number>,
  ): void {
    for (const name of Object.keys(TRUE_VALUE)) {
      const wanted = this.#truth?.value(sn, at, name, row) ?? Number.NaN;
      const value = held.get(name);
      if (Number.isNaN(wanted) && value === undefined) continue;
      if (value === undefined && NOT_CACHED.has(name)) continue;
      if (value === undefined && name === 'e_plus_wh' && this.#truth?.isFull(sn) === true) continue;
      this.judged.values++;
      if (value !== wanted) this.#find('G3', `${where}: ${name} of ${profile} is ${value ?? 'missing'} and was ${wanted}`);
    }
  }

  #daily({ sn, dcu, day, values }: Of<'daily'>): void {
    const truth = this.#truth;
    const meter = truth?.meter(sn);
    const number = parseDay(day);
    if (truth === undefined || meter === undefined || number === undefined)
      return this.#find('G3', `${sn}: a freeze of a meter that does not exist`);
    add(this.#present, this.#placeOf(dcu, 'daily'), 1);
    remember(this.#freezes, sn, day);
    this.judged.freezes++;
    if (truth.world.localTime.startOf(number) > this.#endsAt) this.#find('G3', `${sn} ${day}: frozen before that day`);
    for (const [name, wh] of Object.entries(truth.freeze(meter, number))) {
      const value = values[name] ?? null;
      this.judged.values++;
      if (value === null && name === 'e_plus' && truth.isFull(sn)) continue;
      if (value === null || Math.round(Number(value) * 1000) !== wh)
        this.#find('G3', `${sn} ${day}: ${name} is ${value ?? 'missing'} kWh and was ${wh} Wh`);
    }
  }

  /** A register only grows: a reading lies between its values before and after. */
  #register({ sn, item, value, unit, from, to }: Of<'register'>): void {
    this.judged.registers++;
    const wh = unit.startsWith('k') ? value * 1000 : value;
    const range = this.#truth?.register(sn, item, from, to);
    if (range === undefined) return this.#find('G3', `${sn}: the register ${item} was read, which it does not have`);
    if (!(wh >= range[0] && wh <= range[1]))
      this.#find('G3', `${sn} ${item}: ${wh} Wh was read, between ${iso(from)} and ${iso(to)} it showed ${range[0]} to ${range[1]}`);
  }

  #event({ sn, log, code, at }: Of<'event'>): void {
    this.judged.events++;
    const name = `${log} ${code} ${at}`;
    if (this.#events.get(sn)?.has(name) === true) this.#find('G2', `${sn}: the event ${log} ${code} of ${iso(at)} is stored twice`);
    remember(this.#events, sn, name);
    if (this.#truth?.isForeign(sn) !== true && this.#truth?.hasEvent(sn, log, code, at) !== true)
      this.#find('G3', `${sn}: the event ${log} ${code} of ${iso(at)} never was`);
  }

  /** A meter never changes a capture, so a corrected value was stored wrongly. */
  #correction({ sn, profile, at, column, former, value }: Of<'correction'>): void {
    if (this.#truth?.isFull(sn) === true) return;
    this.#find('G3', `${sn} ${profile} ${iso(at)}: ${column} was stored as ${former} and corrected to ${value}`);
  }

  #completeness({ sn, profile, due, got, explained, isReachable }: Of<'slots'>): void {
    if (due > got + explained)
      this.#find('completeness', `${sn} ${profile}: ${due - got - explained} of ${due} slots are missing without a record`);
    if (!isReachable) return;
    this.judged.slots += due;
    this.judged.missing += due - got;
  }

  /** A plan runs once a day: at its minute, the first time it occurs, or as soon as a gap of the clock is over. */
  #runs({ plan, minute, from, to, at }: Of<'runs'>): void {
    const local = this.#truth?.world.localTime;
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

  /** Checks that acknowledged, seen and claimed data is in the final content. */
  #keep(claim: Of<'acked'> | Of<'seen'> | Of<'mark'> | Of<'log-read'>): void {
    this.judged.acknowledgements++;
    const truth = this.#truth;
    if (truth === undefined) return;
    if (claim.t === 'log-read') return this.#keepEvents(truth, claim);
    const { sn, profile } = claim;
    const where = `${sn} ${profile}`;
    if (profile === 'daily' || profile === 'monthly') {
      if (claim.t === 'acked') this.#keepFreezes(truth, claim, profile);
      return;
    }
    const stored = this.#stored.get(where) ?? new Set<number>();
    const dueIn = (from: number, to: number): number[] => truth.captures(sn, profile, from, to);
    const missing = (from: number, to: number): number => dueIn(from, to).filter((at) => !stored.has(at)).length;
    if (claim.t === 'mark') {
      const lost = truth.isForgetful(sn) ? 0 : missing(claim.from, claim.through);
      if (lost > 0)
        this.#find('G1', `${where}: collection claims completeness through ${iso(claim.through)}, and ${lost} captures are missing`);
    } else if (claim.t === 'seen') {
      const begins = dayMs(claim.day);
      const now = dueIn(begins, begins + DAY_MS - 1).length - missing(begins, begins + DAY_MS - 1);
      if (now < claim.present) this.#find('G1', `${where} ${claim.day}: ${claim.present} captures were there, ${now} are`);
    } else {
      const { day, to = day } = claim;
      const dayBegins = (text: string, after: number): number => truth.world.localTime.startOf((parseDay(text) ?? Number.NaN) + after);
      const [from, until] = [dayBegins(day, 0), dayBegins(to, 1) - 1];
      const lost = missing(from, until);
      if (lost > 0) this.#find('G1', `${where} ${day}: success was reported, and ${lost} captures are missing`);
      const whole = dueIn(from, until).length;
      if (claim.rows !== whole) this.#find('G1', `${where} ${day}: success was reported with ${claim.rows} captures instead of ${whole}`);
    }
  }

  #keepFreezes(truth: Truth, { sn, day, to = day, rows }: Of<'acked'>, profile: 'daily' | 'monthly'): void {
    const days = truth.freezeDays(profile, day, to);
    const lost = days.filter((one) => this.#freezes.get(sn)?.has(one) !== true);
    if (lost.length > 0)
      this.#find('G1', `${sn} ${profile} ${day}: success was reported, and the freezes of ${lost.join(' ')} are missing`);
    if (rows !== days.length)
      this.#find('G1', `${sn} ${profile} ${day}: success was reported with ${rows} freezes instead of ${days.length}`);
  }

  #keepEvents(truth: Truth, { sn, from, to }: Of<'log-read'>): void {
    for (const log of LOGS)
      for (const { at, code } of truth.events(sn, log, from, to))
        if (this.#events.get(sn)?.has(`${log} ${code} ${at}`) !== true)
          this.#find('G1', `${sn}: its logs were read, and the event ${log} ${code} of ${iso(at)} is missing`);
  }

  /** A command is executed at most once, and its result is known. */
  #command({ id, sn, operation, state, isSent, isFollowed }: Of<'command'>): void {
    this.judged.commands++;
    const to = DONE_BY[operation] ?? operation;
    const ordered = this.#commands.filter((other) => other.sn === sn && other.operation === operation && other.isSent).length;
    const carriedOut = this.#switched.get(`${sn} ${to}`) ?? 0;
    const name = `command ${id} (${operation} ${sn})`;
    if (carriedOut > ordered) this.#find('G4', `${name}: carried out ${carriedOut} times, sent ${ordered} times`);
    if (!isSent) return;
    if (state === 'done' && carriedOut === 0) this.#find('G4', `${name}: reported done, and never executed`);
    // The relay then shows the result of the later command, or is out of reach, so the product cannot know that of the former.
    if (state === 'unknown' && (isFollowed || this.#exchanged.has(sn))) return;
    if (state !== 'done' && carriedOut >= ordered) this.#find('G4', `${name}: executed, and reported ${state}`);
    if (state === 'sent' || state === 'unknown') this.#find('G4', `${name}: still ${state} after its relay was read`);
  }

  end(): Verdict {
    if (this.#truth === undefined || Number.isNaN(this.#endsAt)) this.#find('history', 'The history has no begin or no end');
    for (const claim of this.#claims) this.#keep(claim);
    for (const command of this.#commands) this.#command(command);
    this.#keptAlarms();
    for (const key of new Set([...this.#switched.keys()].map((entry) => entry.split(' ')[0])))
      if (!this.#commands.some((command) => command.sn === key)) this.#find('G4', `${key}: switched without a command`);
    // A sample of the readings does not allow conclusions about the sums.
    for (const [key, count] of this.#counted.size > 0 ? this.#present : []) {
      const counted = this.#counted.get(key) ?? 0;
      if (counted !== count) this.#find('G2', `${key}: ${count} captures are stored, ${counted} were counted as they arrived`);
    }
    for (const { guarantee, what } of expectationsOf(this.#notes, this.#truth)) this.#find(guarantee, what);
    const { slots, missing } = this.judged;
    if (missing > slots * (1 - COMPLETE)) this.#find('completeness', `${missing} of ${slots} slots of reachable meters are missing`);
    return { violations: this.violations, judged: this.judged };
  }
}

/** All violations that a history proves. The line with the end of its time must precede the stored rows. */
export async function judge(history: AsyncIterable<Line> | Iterable<Line>): Promise<Verdict> {
  const judging = new Judge();
  for await (const line of history) judging.take(line);
  return judging.end();
}
