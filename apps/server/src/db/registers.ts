import { sql, type RawBuilder } from 'kysely';

/** Names of what registers counted, in the order of the SQL function `registers`. */
const REGISTERS = ['plus', 'minus', 'plusT1', 'plusT2', 'plusT3', 'plusT4', 'minusT1', 'minusT2', 'minusT3', 'minusT4'] as const;

type Energies = Record<(typeof REGISTERS)[number], number | null>;

export const registersOf = (used: readonly (number | null)[] | null): Energies =>
  Object.fromEntries(REGISTERS.map((name, k) => [name, used?.[k] ?? null])) as Energies; // as: one entry a name

/** The other way round; what is not named is unknown. */
export const inOrder = (energies: Partial<Energies>): (number | null)[] => REGISTERS.map((name) => energies[name] ?? null);

/** Places of the registers, from 1 as Postgres counts. */
export const REGISTER_PLACES = REGISTERS.map((_, k) => k + 1);
/** Totals come first. */
const TARIFFS = REGISTER_PLACES.slice(2);

/** What customers used on days of balances that have data, in the order of `registers`; a day without tariffs makes those of the sum unknown. */
export const sumOfDays = (balance: string): RawBuilder<number[]> => {
  const of = (column: string) => sql.ref(`${balance}.${column}`);
  const told = sql`filter (where ${of('meters_data')} > 0)`;
  const tariffs = of('tariffs_kwh');
  const sums = TARIFFS.map(
    (_, k) => sql`case when count(*) ${told} = count(${tariffs}) ${told} then sum(${tariffs}[${sql.lit(k + 1)}]) ${told} end`,
  );
  return sql`array[sum(${of('plus_kwh')}) ${told}, sum(${of('minus_kwh')}) ${told}, ${sql.join(sums)}]::float8[]`;
};

/** The tariffs of `used`, each added up where a condition holds. */
export const sumOfTariffs = (used: RawBuilder<unknown>, where: RawBuilder<unknown>) =>
  sql`array[${sql.join(TARIFFS.map((k) => sql`sum(${used}[${sql.lit(k)}]) filter (where ${where})`))}]`;
