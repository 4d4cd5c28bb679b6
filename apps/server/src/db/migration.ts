import { readdirSync, readFileSync } from 'node:fs';

const MIGRATIONS = new URL('./migrations/', import.meta.url);
const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;
const PHASE = /^-- phase: (?:(?<kind>expand|backfill)|contract, needs (?<needs>\d{4}))$/m;
/** Migrations from this number on declare their phase. The others all count as expansions, which only newer head-ends work with. */
export const FIRST_WITH_PHASE = 126;

/**
 * When a migration is applied, and which head-ends go on with it. `expand`: at the start of a newer head-end; older ones go on. `backfill`: one
 * statement, repeated in the background until it changes no row. `contract`: when no head-end lives that knows fewer migrations than number `needs`.
 */
export type Phase = { kind: 'expand' | 'backfill' } | { kind: 'contract'; needs: number };

export interface Migration {
  number: number;
  name: string;
  sql: string;
  phase: Phase;
}

/** Phase that the text of a migration declares; undefined: it declares none. */
export function phaseOf(sql: string): Phase | undefined {
  const { kind, needs } = PHASE.exec(sql)?.groups ?? {};
  if (needs !== undefined) return { kind: 'contract', needs: Number(needs) };
  return kind === 'expand' || kind === 'backfill' ? { kind } : undefined;
}

export function listMigrations(): Migration[] {
  return readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const number = Number(NAME.exec(name)?.[1]);
      if (!Number.isInteger(number)) throw new Error(`Migration ${name} is not called NNNN_topic.sql`);
      const sql = readFileSync(new URL(name, MIGRATIONS), 'utf8');
      const phase = number < FIRST_WITH_PHASE ? { kind: 'expand' as const } : phaseOf(sql);
      if (phase === undefined) throw new Error(`Migration ${name} declares no phase: see docs/how-to/write-a-migration.md`);
      return { number, name, sql, phase };
    });
}

/** Number of the newest migration that a head-end with this list knows, by which head-ends of several versions are compared. */
export const schemaOf = (migrations: readonly Migration[]): number => Math.max(0, ...migrations.map(({ number }) => number));

/** The newest migration that the head-end needs to work; backfills and contractions may come later. */
export const newestExpansion = (migrations: readonly Migration[]): string =>
  migrations.findLast(({ phase }) => phase.kind === 'expand')?.name ?? '';
