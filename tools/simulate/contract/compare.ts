import type { Pool } from 'pg';
import type { Answer } from '../database/statements.ts';
import type { Row, TableName } from '../database/store.ts';

const SHOWN = 3;
const SHOWN_OCTETS = 1200;
/** The last clause of a statement that defines the order of its rows. */
const ORDERED = /order by [^()]*$/;

/** A value as comparable text: sorted keys, moments and octets in a single form. */
function textOf(value: unknown): string {
  return JSON.stringify(plain(value));
}

function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, plain(one)]),
  );
}

/** Rows on one side only; undefined: none. */
function differenceOfRows(model: readonly string[], actual: readonly string[]): string | undefined {
  const [onlyModel, onlyActual] = [[...model], [] as string[]];
  for (const row of actual) {
    const at = onlyModel.indexOf(row);
    if (at === -1) onlyActual.push(row);
    else onlyModel.splice(at, 1);
  }
  if (onlyModel.length === 0 && onlyActual.length === 0) return undefined;
  const shown = (rows: readonly string[]): string =>
    rows.length === 0
      ? '—'
      : rows
          .slice(0, SHOWN)
          .map((row) => row.slice(0, SHOWN_OCTETS))
          .join('\n    ');
  return `  model alone (${onlyModel.length}):\n    ${shown(onlyModel)}\n  PostgreSQL alone (${onlyActual.length}):\n    ${shown(onlyActual)}`;
}

/** Differences of the model's result from PostgreSQL's. Rows count as a multiset unless the statement defines their order. */
export function differenceOfAnswers(sql: string, model: Answer, actual: { rows: unknown[]; rowCount: number | null }): string | undefined {
  const [expected, got] = [model.rows.map(textOf), actual.rows.map(textOf)];
  const rows = differenceOfRows(expected, got);
  if (rows !== undefined) return rows;
  if (ORDERED.test(sql) && expected.join() !== got.join())
    return `  another order:\n    ${expected.join('\n    ')}\n    ${got.join('\n    ')}`;
  return model.rowCount === actual.rowCount ? undefined : `  model: ${model.rowCount} rows, PostgreSQL: ${actual.rowCount}`;
}

// ── Tables ──

const DAY_MS = 86_400_000;
const MICROSECONDS = /\.(\d{3})(\d{0,3})/;

/** A stored moment in whole milliseconds, from JSON of PostgreSQL. */
function stampOf(json: string): number {
  const rest = MICROSECONDS.exec(json)?.[2] ?? '';
  return Date.parse(json.replace(MICROSECONDS, '.$1')) + Math.round(Number(`0.${rest || '0'}`));
}

type Form = (value: unknown) => unknown;
const asNumber: Form = (value) => Number(value);
const asNumbers: Form = (values) => (values as unknown[]).map((value) => (value === null ? null : Number(value))); // as: a column of an array

/** The model's form of a column type, as PostgreSQL's `to_jsonb` writes it. */
const FORMS: Record<string, { model: Form; actual?: Form }> = {
  int4: { model: asNumber },
  int8: { model: asNumber },
  numeric: { model: asNumber },
  _int4: { model: asNumbers },
  _int8: { model: asNumbers },
  date: { model: (day) => new Date(Number(day) * DAY_MS).toISOString().slice(0, 10) },
  timestamptz: { model: (stamp) => Math.round(Number(stamp)), actual: (json) => stampOf(json as string) }, // as: a moment in JSON
  bytea: { model: (octets) => (typeof octets === 'string' ? `\\x${octets}` : octets) },
  json: { model: (json) => JSON.parse(json as string) as unknown }, // as: kept as text
};

/** Columns that exist in the model only, with the reason. */
const MODEL_ONLY: Partial<Record<TableName, Record<string, string>>> = {
  undefined_answer: { key: 'The model keeps the key of the reading item, the table its class, OBIS code and attribute.' },
};

const isNothing = (value: unknown): boolean => value === null || value === undefined;

/** Compares a table with the model's rows, for each column of the model. */
export async function differencesOfTable(owner: Pool, table: string, rows: readonly Row[]): Promise<string[]> {
  const { rows: columns } = await owner.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns where table_schema = 'public' and table_name = $1`,
    [table],
  );
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const modelOnly = Object.keys(MODEL_ONLY[table as TableName] ?? {}); // as: a table of the model
  const kept = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !modelOnly.includes(name));
  const missing = kept.filter((name) => !types.has(name));
  if (missing.length > 0) return [`${table}: PostgreSQL has no column ${missing.join(', ')}`];
  const { rows: actual } = await owner.query<{ row: Row }>(`select to_jsonb(t) as row from ${table} t`);
  const formed = (row: Row, side: 'model' | 'actual'): string =>
    textOf(
      Object.fromEntries(
        kept.map((name) => {
          const form = FORMS[types.get(name) ?? '']?.[side];
          return [name, isNothing(row[name]) || form === undefined ? row[name] : form(row[name])];
        }),
      ),
    );
  const difference = differenceOfRows(
    rows.map((row) => formed(row, 'model')),
    actual.map(({ row }) => formed(row, 'actual')),
  );
  return difference === undefined ? [] : [`table ${table}:\n${difference}`];
}
