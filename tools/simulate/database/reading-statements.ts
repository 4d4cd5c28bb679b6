import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { count, list, number, numbers, rowsOf, stampOf, text, type Answer, type Run } from './statement.ts';
import type { Row, Store } from './store.ts';

const COLUMNS = CHANNELS.map(({ column }) => column);
const SLOTS = ['status', ...COLUMNS];
const DAY_S = 86_400;
const POSTGRES_EPOCH_DAY = 10_957;
const POSTGRES_EPOCH_MS = POSTGRES_EPOCH_DAY * 86_400_000;
const SIGNATURE_OCTETS = 19;
const UUID = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/;
const ANCHOR_SOURCES = ['meter', 'cache', 'push'];

type Slots = (number | null)[];

const keyOf = (row: Row): string => `${text(row['meter_id'])}/${text(row['profile'])}/${number(row['day'])}`;
// as: written by the functions below
const slotsOf = (row: Row | undefined, column: string): Slots | null => (row?.[column] ?? null) as Slots | null;

// ── COPY in the binary format ──

function arrayIn(field: Buffer): Slots {
  if (field.readInt32BE(0) === 0) return [];
  const length = field.readInt32BE(12);
  const values: Slots = [];
  let at = 20;
  for (let k = 0; k < length; k++) {
    const octets = field.readInt32BE(at);
    at += 4;
    if (octets === -1) values.push(null);
    else {
      values.push(octets === 4 ? field.readInt32BE(at) : Number(field.readBigInt64BE(at)));
      at += octets;
    }
  }
  return values;
}

const int4 = (field: Buffer): number => field.readInt32BE(0);
const int8 = (field: Buffer): number => Number(field.readBigInt64BE(0));
const words = (field: Buffer): string => field.toString('utf8');

const FIELDS: [string, (field: Buffer) => unknown][] = [
  ['meter_id', (field) => String(int8(field))],
  ['profile', words],
  ['day', (field) => int4(field) + POSTGRES_EPOCH_DAY],
  ['period_s', int4],
  ['lead_s', int4],
  ['present', int4],
  ['status', arrayIn],
  ...COLUMNS.map((column): [string, (field: Buffer) => unknown] => [column, arrayIn]),
  ['read_at', (field) => int8(field) / 1000 + POSTGRES_EPOCH_MS],
  ['source', words],
  ['trace_id', (field) => field.toString('hex').replace(UUID, '$1-$2-$3-$4-$5')],
];

function rowsIn(octets: Buffer): Row[] {
  const rows: Row[] = [];
  let at = SIGNATURE_OCTETS;
  for (let fields = octets.readInt16BE(at); fields !== -1; fields = octets.readInt16BE(at)) {
    at += 2;
    const row: Record<string, unknown> = {};
    for (const [name, read] of FIELDS) {
      const length = octets.readInt32BE(at);
      at += 4;
      row[name] = length === -1 ? null : read(octets.subarray(at, at + length));
      at += Math.max(0, length);
    }
    rows.push(row);
  }
  return rows;
}

/** Rows in the temporary table of the transaction. */
const staged = new WeakMap<object, Row[]>();

export function copyReadings({ store, copied }: Run): Answer {
  const rows = rowsIn(copied ?? Buffer.alloc(0));
  for (const row of rows) {
    if (store.get('reading_profile', keyOf(row)) !== undefined)
      throw Object.assign(new Error('duplicate key value violates unique constraint'), { code: '23505' });
    store.put('reading_profile', keyOf(row), row);
  }
  return count(rows.length);
}

export function copyStaging({ client, copied }: Run): Answer {
  const rows = rowsIn(copied ?? Buffer.alloc(0));
  staged.set(client, rows);
  return count(rows.length);
}

// ── Days ──

export function findDays({ store }: Run, [meters, profiles, days]: readonly unknown[]): Answer {
  const [profileOf, dayOf] = [list(profiles), numbers(days)];
  return rowsOf(
    list(meters).flatMap((meterId, k) => {
      const row = store.get('reading_profile', `${meterId}/${profileOf[k]}/${dayOf[k]}`);
      return row === undefined
        ? []
        : { meter_id: meterId, profile: profileOf[k], day: dayOf[k], period_s: row['period_s'], lead_s: row['lead_s'] };
    }),
  );
}

function regrid(slots: Slots | null, from: Row, to: { period: number; lead: number }): Slots | null {
  if (slots === null) return null;
  const [period, lead] = [number(from['period_s']), number(from['lead_s'])];
  const out: Slots = [];
  for (let at = to.lead; at < DAY_S; at += to.period)
    out.push(at >= lead && (at - lead) % period === 0 ? (slots[(at - lead) / period] ?? null) : null);
  return out;
}

export function regridDays({ store }: Run, [meters, profiles, days, periods, leads]: readonly unknown[]): Answer {
  const [profileOf, dayOf, periodOf, leadOf] = [list(profiles), numbers(days), numbers(periods), numbers(leads)];
  let changed = 0;
  for (const [k, meterId] of list(meters).entries()) {
    const key = `${meterId}/${profileOf[k]}/${dayOf[k]}`;
    const row = store.get('reading_profile', key);
    const to = { period: periodOf[k] ?? 0, lead: leadOf[k] ?? 0 };
    if (row === undefined || (row['period_s'] === to.period && row['lead_s'] === to.lead)) continue;
    const columns = Object.fromEntries(SLOTS.map((column) => [column, regrid(slotsOf(row, column), row, to)]));
    store.update('reading_profile', key, { period_s: to.period, lead_s: to.lead, ...columns });
    changed++;
  }
  return count(changed);
}

function mergeSlots(old: Slots | null, fresh: Slots | null): Slots | null {
  if (old === null || fresh === null) return fresh ?? old;
  return Array.from({ length: Math.max(old.length, fresh.length) }, (_, k) => fresh[k] ?? old[k] ?? null);
}

const isSame = (a: Slots | null, b: Slots | null): boolean =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((value, k) => value === b[k]));

export function mergeProfile({ store, client, now }: Run): Answer {
  const rows = staged.get(client) ?? [];
  staged.delete(client);
  const answers: Row[] = [];
  for (const fresh of rows.toSorted((a, b) => number(a['meter_id']) - number(b['meter_id']))) {
    const key = keyOf(fresh);
    const old = store.get('reading_profile', key);
    if (old === undefined) {
      store.put('reading_profile', key, fresh);
      answers.push({ meter_id: fresh['meter_id'], profile: fresh['profile'], day: fresh['day'], before: null, isCorrected: false });
      continue;
    }
    if (old['period_s'] !== fresh['period_s'] || old['lead_s'] !== fresh['lead_s'])
      throw Object.assign(new Error('null value in column "period_s"'), { code: '23502', column: 'period_s' });
    const merged = Object.fromEntries(SLOTS.map((column) => [column, mergeSlots(slotsOf(old, column), slotsOf(fresh, column))]));
    if (SLOTS.every((column) => isSame(slotsOf(old, column), merged[column] ?? null))) continue;
    const present = (merged['status'] ?? []).filter((word) => word !== null).length;
    const stored = store.update('reading_profile', key, {
      ...merged,
      present,
      read_at: fresh['read_at'],
      source: fresh['source'],
      trace_id: fresh['trace_id'] ?? old['trace_id'],
    });
    const isCorrected =
      number(old['present']) + number(fresh['present']) > number(stored['present']) && correct(store, now, { old, fresh });
    answers.push({
      meter_id: fresh['meter_id'],
      profile: fresh['profile'],
      day: fresh['day'],
      before: slotsOf(old, 'status'),
      isCorrected,
    });
  }
  // A correction of one day of a meter and profile applies to all of its days in the batch.
  const corrected = new Set(answers.filter((row) => row['isCorrected']).map((row) => `${text(row['meter_id'])}/${text(row['profile'])}`));
  return rowsOf(answers.map((row) => ({ ...row, isCorrected: corrected.has(`${text(row['meter_id'])}/${text(row['profile'])}`) })));
}

/** Records replaced values; returns whether there were any. */
function correct(store: Store, now: number, { old, fresh }: { old: Row; fresh: Row }): boolean {
  let isCorrected = false;
  for (const column of SLOTS) {
    const [formers, values] = [slotsOf(old, column) ?? [], slotsOf(fresh, column) ?? []];
    for (const [k, value] of values.entries()) {
      const former = formers[k] ?? null;
      if (value === null || former === null || former === value) continue;
      isCorrected = true;
      store.insert('reading_correction', {
        meter_id: fresh['meter_id'],
        profile: fresh['profile'],
        ts: (number(fresh['day']) * DAY_S + number(fresh['lead_s']) + k * number(fresh['period_s'])) * 1000,
        channel: column,
        former,
        value,
        trace_id: fresh['trace_id'],
        task_id: null,
        replaced_at: now,
      });
    }
  }
  return isCorrected;
}

export function nameCorrectors({ store, now }: Run, [meters, profiles, traces, tasks]: readonly unknown[]): Answer {
  const [profileOf, traceOf, taskOf] = [list(profiles), list(traces), list(tasks)];
  let named = 0;
  for (const row of store.rows('reading_correction')) {
    const k = list(meters).findIndex(
      (id, index) =>
        id === row['meter_id'] && profileOf[index] === row['profile'] && (traceOf[index] ?? null) === (row['trace_id'] ?? null),
    );
    if (k === -1 || row['replaced_at'] !== now) continue;
    store.update('reading_correction', text(row['id']), { task_id: taskOf[k] ?? null });
    named++;
  }
  return count(named);
}

export function countArrivals({ store }: Run, [dcus, profiles, begins, got]: readonly unknown[]): Answer {
  const [profileOf, beginsOf] = [list(profiles), list(begins)];
  const counts = (got as string[]).map(numbers); // as: an array of arrays, written as texts
  for (const [k, dcuId] of list(dcus).entries()) {
    const key = `${dcuId}/${profileOf[k]}/${stampOf(beginsOf[k])}`;
    const before = (store.get('arrival_day', key)?.['got'] ?? []) as number[]; // as: written here
    const sums = (counts[k] ?? []).map((one, hour) => (one ?? 0) + (before[hour] ?? 0));
    store.put('arrival_day', key, { dcu_id: dcuId, profile: profileOf[k], begins: stampOf(beginsOf[k]), got: sums });
  }
  return count(list(dcus).length);
}

export function mergeLatest({ store, now }: Run, values: readonly unknown[]): Answer {
  const [meters, , , , stamps, powers, voltages] = values.slice(0, 7).map(list);
  const told = values[7] as string[]; // as: an array of texts
  for (const [k, meterId] of (meters ?? []).entries()) {
    const old = store.get('meter_latest', meterId ?? '');
    const at = stamps?.[k] === null || stamps?.[k] === undefined ? null : Date.parse(stamps[k]);
    const power = powers?.[k] === null || powers?.[k] === undefined ? null : Number(powers[k]);
    const voltage = voltages?.[k] === null || voltages?.[k] === undefined ? null : Number(voltages[k]);
    const before = (old?.['lpa_at'] ?? null) as number | null; // as: written here
    const isNewer = power !== null && at !== null && at >= (before ?? at);
    store.put('meter_latest', text(meterId), {
      meter_id: meterId,
      lpa_at: at === null ? before : Math.max(at, before ?? at),
      p_avg_plus_w: old === undefined || isNewer ? power : old['p_avg_plus_w'],
      u1_mv: voltage ?? old?.['u1_mv'] ?? null,
      values: { ...(old?.['values'] as object | undefined), ...(JSON.parse(told[k] ?? '{}') as object) }, // as: objects of values
      updated_at: now,
    });
  }
  return count(meters?.length ?? 0);
}

// ── The newest stored row ──

export function newestCaptures({ store }: Run, [meters, profiles, froms, tos]: readonly unknown[]): Answer {
  const [profileOf, fromOf, toOf] = [list(profiles), numbers(froms), numbers(tos)];
  return rowsOf(
    list(meters).flatMap((meterId, k) => {
      const [from, to] = [fromOf[k] ?? 0, toOf[k] ?? 0];
      const days = store
        .rows('reading_profile')
        .filter((row) => row['meter_id'] === meterId && row['profile'] === profileOf[k] && ANCHOR_SOURCES.includes(text(row['source'])))
        .filter((row) => number(row['day']) >= Math.floor(from / 1000 / DAY_S) - 1 && number(row['day']) <= Math.floor(to / 1000 / DAY_S))
        .toSorted((a, b) => number(b['day']) - number(a['day']));
      for (const row of days) {
        const status = slotsOf(row, 'status') ?? [];
        for (let slot = status.length - 1; slot >= 0; slot--) {
          const at = (number(row['day']) * DAY_S + number(row['lead_s']) + slot * number(row['period_s'])) * 1000;
          if (status[slot] === null || at < from || at > to) continue;
          const values = COLUMNS.map((column) => slotsOf(row, column)?.[slot] ?? null);
          return { k: k + 1, at, period: row['period_s'], values: values.map((value) => (value === null ? null : String(value))) };
        }
      }
      return [];
    }),
  );
}
