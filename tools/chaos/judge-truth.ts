import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { REFERENCE_DCU_OBJECTS } from '@hes/dlms/profile/reference-dcu.ts';
import { dailyTruth, profileTruth, type ProfileTruthRow } from '../../apps/simulator/src/control/truth.ts';
import { dayStart, parseDay } from '../../apps/simulator/src/world/calendar.ts';
import type { EventLog } from '../../apps/simulator/src/world/events.ts';
import { hourLeadMs } from '../../apps/simulator/src/world/local-time.ts';
import type { MeterPlan } from '../../apps/simulator/src/world/plan.ts';
import { parseScale } from '../../apps/simulator/src/world/scale.ts';
import { createWorld, type World } from '../../apps/simulator/src/world/world.ts';
import type { Alteration, IntervalProfile } from './history.ts';

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const PERIOD_MS: Record<IntervalProfile, number> = { lpa: 900_000, lpb: 900_000, energy: 3_600_000 };
/** A register of another scaler counts in tens. */
const TENS = 10;
const ENERGIES: ReadonlySet<string> = new Set(['e_plus_wh', 'e_minus_wh']);
/** The pydlms meter as its package creates it: two registers, and a day of quarter-hours. */
const FOREIGN_REGISTERS: Readonly<Record<string, number>> = { E_PLUS: 12_345_678, E_MINUS: 4_321 };
const FOREIGN_BEGINS = Date.UTC(2024, 4, 1);
const FOREIGN_ROWS = 96;
const foreignRow = (row: number): number => 1000 + 7 * row;

/** Value of each column, from the truth of its slot; NaN where the meter does not capture the quantity. */
export const TRUE_VALUE: Record<string, (row: ProfileTruthRow) => number> = Object.fromEntries(
  CHANNELS.map(({ key, column, exponent }) => [column, (row) => Math.round(Number(row[key] ?? Number.NaN) * 10 ** exponent)]),
);

const DCU = REFERENCE_DCU_OBJECTS.optional;
const CACHED_OBJECTS: ReadonlySet<string | undefined> = new Set(
  ['CACHED_LPA', 'CACHED_LPB', 'CACHED_ENERGY'].flatMap((cache) => (DCU[cache]?.captures ?? []).map((key) => DCU[key]?.obis)),
);
/** Columns that a row from the cache of a DCU lacks, because the reference DCU does not cache their quantity. */
export const NOT_CACHED: ReadonlySet<string> = new Set(
  CHANNELS.filter(({ objects }) => !objects.some((object) => CACHED_OBJECTS.has(object))).map(({ column }) => column),
);

/** Captures and buffers of the meters, from the world and the changes by faults. */
export class Truth {
  readonly world: World;
  readonly #altered = new Map<string, Alteration[]>();
  readonly #foreign = new Set<string>();

  private constructor(world: World) {
    this.world = world;
  }

  static of({
    seed,
    scale: scaleText,
    timeZone,
    direct,
  }: {
    seed: number;
    scale: string;
    timeZone?: string;
    direct?: number;
  }): Truth | undefined {
    const scale = parseScale(scaleText);
    return scale === undefined ? undefined : new Truth(createWorld(seed, scale, timeZone, { count: direct ?? 0 }));
  }

  alter(alteration: Alteration): void {
    const known = this.#altered.get(alteration.sn);
    if (known === undefined) this.#altered.set(alteration.sn, [alteration]);
    else known.push(alteration);
  }

  exchange(sn: string, at: number): void {
    const meter = this.world.meterBySn.get(sn);
    if (meter !== undefined) this.world.replaceMeter(meter, at);
  }

  replaceByForeign(sn: string): void {
    this.#foreign.add(sn);
  }

  isForeign(sn: string): boolean {
    return this.#foreign.has(sn);
  }

  meter(sn: string): MeterPlan | undefined {
    return this.world.meterBySn.get(sn);
  }

  /** Moment of a change of the meter; infinity without it. */
  changedFrom(sn: string, kind: string): number {
    return this.#altered.get(sn)?.find((alteration) => alteration.kind === kind)?.at ?? Number.POSITIVE_INFINITY;
  }

  /** A meter with all bits of E+ set has no value during the fault, and the true one before and after. */
  isFull(sn: string): boolean {
    return this.changedFrom(sn, 'full_register') !== Number.POSITIVE_INFINITY;
  }

  /** Whether its buffers have discarded captures. */
  isForgetful(sn: string): boolean {
    return ['rollover', 'other_layout'].some((kind) => this.changedFrom(sn, kind) !== Number.POSITIVE_INFINITY);
  }

  /** Wh as displayed by the register of this meter at a moment. */
  shown(sn: string, at: number, wh: number): number {
    return at >= this.changedFrom(sn, 'other_scaler') ? Math.floor(wh / TENS) * TENS : wh;
  }

  /** Rows of a UTC day, by stamp. */
  rows(meter: MeterPlan, profile: IntervalProfile, begins: number): Map<number, ProfileTruthRow> {
    if (this.#foreign.has(meter.sn)) return foreignRows(begins);
    const rows = profileTruth(this.world, meter, profile, begins, begins + DAY_MS - 1).map((row) => [Date.parse(row.at), row] as const);
    return new Map(rows.filter(([at]) => this.#isCaptured(meter.sn, profile, at)));
  }

  /** A meter captures while it is installed, and with a longer period at every second boundary only. */
  #isCaptured(sn: string, profile: IntervalProfile, at: number): boolean {
    const meter = this.meter(sn);
    if (meter !== undefined && !this.world.isUp(meter, at)) return false;
    return at < this.changedFrom(sn, 'other_period') || at % (2 * PERIOD_MS[profile]) === 0;
  }

  /** Value of a column, from the truth of its row. */
  value(sn: string, at: number, column: string, row: ProfileTruthRow): number {
    const value = TRUE_VALUE[column]?.(row) ?? Number.NaN;
    return ENERGIES.has(column) ? this.shown(sn, at, value) : value;
  }

  /** Stamps of the captures of a meter, both ends included. */
  captures(sn: string, profile: IntervalProfile, from: number, to: number): number[] {
    const stepMs = PERIOD_MS[profile];
    const lead = hourLeadMs(this.world.localTime, from) % stepMs;
    const stamps = [];
    for (let at = Math.ceil((from - lead) / stepMs) * stepMs + lead; at <= to; at += stepMs)
      if (this.#isCaptured(sn, profile, at)) stamps.push(at);
    return stamps;
  }

  /** Registers at the midnight that begins a day, Wh by column. */
  freeze(meter: MeterPlan, day: number): Record<string, number> {
    const truth = dailyTruth(this.world, meter, day);
    const at = this.world.localTime.startOf(day);
    const wanted: Record<string, number> = { e_plus: truth.ePlus, e_minus: truth.eMinus };
    for (const [t, value] of truth.ePlusT.entries()) wanted[`e_plus_t${t + 1}`] = value;
    for (const [t, value] of truth.eMinusT.entries()) wanted[`e_minus_t${t + 1}`] = value;
    return Object.fromEntries(Object.entries(wanted).map(([name, wh]) => [name, this.shown(meter.sn, at, wh)]));
  }

  /** Local days on which a meter froze its registers for this profile. */
  freezeDays(profile: 'daily' | 'monthly', from: string, to: string): string[] {
    const days = [];
    for (let day = parseDay(from) ?? 0; day <= (parseDay(to) ?? -1); day++) {
      const text = new Date(day * DAY_MS).toISOString().slice(0, 10);
      if (profile === 'daily' || text.endsWith('-01')) days.push(text);
    }
    return days;
  }

  /** Minimum and maximum of a register between two moments, Wh; undefined without such a register. */
  register(sn: string, item: string, from: number, to: number): [least: number, most: number] | undefined {
    if (this.#foreign.has(sn)) {
      const value = FOREIGN_REGISTERS[item];
      return value === undefined ? undefined : [value, value];
    }
    const meter = this.meter(sn);
    const [, sign, tariff] = /^E_(PLUS|MINUS)(?:_T([1-4]))?$/.exec(item) ?? [];
    if (meter === undefined || sign === undefined) return undefined;
    const direction = sign === 'PLUS' ? 'plus' : 'minus';
    const wh = (at: number) => this.shown(sn, at, this.world.register(meter, at, direction, Number(tariff ?? 0) as 0 | 1 | 2 | 3 | 4)); // as: the pattern allows no other
    return [wh(from), wh(to)];
  }

  /** Codes that a meter logged on local days, with moments in whole seconds as in its log. */
  events(sn: string, log: EventLog, from: string, to: string): { at: number; code: number }[] {
    const meter = this.meter(sn);
    const [first, last] = [parseDay(from), parseDay(to)];
    if (meter === undefined || first === undefined || last === undefined) return [];
    const logged = this.world.events(meter, log, dayStart(first), dayStart(last + 1) - 1);
    return logged.map(({ at, code }) => ({ at: at - (at % SECOND_MS), code }));
  }

  hasEvent(sn: string, log: string, code: number, at: number): boolean {
    const meter = this.meter(sn);
    return meter !== undefined && this.world.events(meter, log as EventLog, at, at + SECOND_MS - 1).some((event) => event.code === code); // as: one of another log has none
  }
}

function foreignRows(begins: number): Map<number, ProfileTruthRow> {
  const rows = Array.from({ length: FOREIGN_ROWS }, (_, row) => [FOREIGN_BEGINS + row * PERIOD_MS.lpa, row] as const);
  return new Map(
    rows
      .filter(([at]) => at >= begins && at < begins + DAY_MS)
      .map(([at, row]) => [at, { at: new Date(at).toISOString(), ePlus: foreignRow(row) }]),
  );
}
