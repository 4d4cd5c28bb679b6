import { profileTruth } from '../../apps/simulator/src/control/truth.ts';
import type { Executed } from './database/pool.ts';
import type { Row, Store } from './database/store.ts';
import { worldOfAll } from './fleet.ts';

export interface Finding {
  guarantee: string;
  what: string;
}

const DAY_MS = 86_400_000;
const LPA_MS = 900_000;
const ROWS_OF_A_DAY: Record<string, number> = { lpa: 96, energy: 24 };
const THROUGH = 'through:lpa';
const UPDATE_METERS = /^with n as \(\s+select id, to_timestamp\(heard_ms/;
const FINISH_ITEMS = /^\s*with n as materialized[^]* latency_ms/;

/** Whether a capture is stored. */
export function isStored(store: Store, meterId: string, profile: string, at: number): boolean {
  const day = Math.floor(at / DAY_MS);
  const row = store.get('reading_profile', `${meterId}/${profile}/${day}`);
  if (row === undefined) return false;
  const slot = (at - day * DAY_MS - Number(row['lead_s']) * 1000) / (Number(row['period_s']) * 1000);
  const status = row['status'] as (number | null)[]; // as: written by the statements of readings
  return Number.isInteger(slot) && (status[slot] ?? null) !== null;
}

/** Checks the database after each statement: its content must be correct at that very moment, not only later. */
export class Monitor {
  readonly findings: Finding[] = [];
  readonly #store: Store;
  readonly #dayBeganAt: number;
  /** Whether the captures of a meter have changed. */
  readonly isAltered: (meterId: string) => boolean;
  #inFlight = new Map<string, string>();
  acknowledgements = 0;

  constructor(store: Store, dayBeganAt: number, isAltered: (meterId: string) => boolean) {
    this.#store = store;
    this.#dayBeganAt = dayBeganAt;
    this.isAltered = isAltered;
  }

  find(guarantee: string, what: string): void {
    if (!this.findings.some((known) => known.what === what)) this.findings.push({ guarantee, what });
  }

  executed({ text, values, failure }: Executed): void {
    if (failure !== undefined) return;
    if (UPDATE_METERS.test(text)) {
      for (const told of values[4] as (string | null)[]) if (told?.includes(THROUGH) === true) return this.#marks(); // as: the marks of the statement
    } else if (FINISH_ITEMS.test(text)) this.#ends(values);
  }

  #marks(): void {
    for (const meter of this.#store.rows('meter')) {
      const through = (meter['marks'] as Record<string, number>)[THROUGH]; // as: an object of moments
      if (through === undefined || this.isAltered(String(meter['id']))) continue;
      this.acknowledgements++;
      for (let at = this.#dayBeganAt; at <= through; at += LPA_MS)
        if (!isStored(this.#store, String(meter['id']), 'lpa', at))
          return this.find(
            'G1',
            `${String(meter['sn'])}: collection claims completeness through ${iso(through)}, and ${iso(at)} is not stored`,
          );
    }
  }

  /** A successful order must have its rows stored. */
  #ends([, ids, states]: readonly unknown[]): void {
    const states_ = listOf(states);
    for (const [k, id] of listOf(ids).entries()) {
      const item = this.#store.get('task_item', id);
      if (item === undefined || states_[k] !== 'read_success' || item['state'] !== 'read_success') continue;
      this.#isStored(`item ${id}`, String(item['meter_id']), String(item['kind']));
    }
  }

  #isStored(what: string, meterId: string, kind: string): void {
    const rows = ROWS_OF_A_DAY[kind];
    if (rows === undefined || this.isAltered(meterId)) return;
    this.acknowledgements++;
    const stepMs = DAY_MS / rows;
    for (let at = this.#dayBeganAt - DAY_MS; at < this.#dayBeganAt; at += stepMs)
      if (!isStored(this.#store, meterId, kind, at))
        return this.find('G1', `${what} of meter ${meterId} (${kind}) is done, and ${iso(at)} is not stored`);
  }

  /** The queue hands an item to a worker of a living server. */
  begun(itemId: string, by: string): void {
    if (this.#inFlight.get(itemId) === by) this.find('lease', `item ${itemId} is processed twice at the same time`);
    this.#inFlight.set(itemId, by);
  }

  ended(itemId: string): void {
    this.#inFlight.delete(itemId);
  }
}

const listOf = (value: unknown): string[] => (value as string).slice(1, -1).split(','); // as: a plain array
export const iso = (ms: number): string => new Date(ms).toISOString();

/** The change of a meter, with its moment. */
export interface Alteration {
  kind: string;
  at: number;
}

const TENS = 10;

/**
 * A day in the resolution of its meter, for the judge: a meter that counts in tens of watt-hours since a moment rounds its
 * captures from then on.
 */
export function asCounted(row: Row, sn: string, altered: Alteration | undefined): Row {
  if (altered?.kind !== 'other_scaler') return row;
  const world = worldOfAll();
  const meter = world.meterBySn.get(sn);
  if (meter === undefined) return row;
  const begins = Number(row['day']) * DAY_MS + Number(row['lead_s']) * 1000;
  const profile = row['profile'] as 'lpa' | 'energy'; // as: no other is ordered here
  const truth = new Map(profileTruth(world, meter, profile, begins, begins + DAY_MS - 1).map((one) => [Date.parse(one.at), one]));
  const exact = (column: string, name: 'ePlus' | 'eMinus') =>
    slotsOf(row, column)?.map((value, slot) => {
      const at = begins + slot * Number(row['period_s']) * 1000;
      const wanted = Number(truth.get(at)?.[name]);
      const allowed = at >= altered.at ? Math.floor(wanted / TENS) * TENS : wanted;
      return value === allowed ? wanted : value;
    }) ?? null;
  return { ...row, e_plus_wh: exact('e_plus_wh', 'ePlus'), e_minus_wh: exact('e_minus_wh', 'eMinus') };
}

// as: written by the statements of readings
const slotsOf = (row: Row, column: string): (number | null)[] | null => (row[column] ?? null) as (number | null)[] | null;
