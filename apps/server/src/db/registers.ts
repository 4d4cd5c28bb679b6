import { sql, type RawBuilder } from 'kysely';

/** Names of the register totals, in the order of the SQL function `registers`. */
const REGISTERS = ['plus', 'minus', 'plusT1', 'plusT2', 'plusT3', 'plusT4', 'minusT1', 'minusT2', 'minusT3', 'minusT4'] as const;

type Energies = Record<(typeof REGISTERS)[number], number | null>;

export const registersOf = (used: readonly (number | null)[] | null): Energies =>
  Object.fromEntries(REGISTERS.map((name, k) => [name, used?.[k] ?? null])) as Energies; // as: one entry per name

/** The inverse of `registersOf`; null for a register that is not given. */
export const toRegisterArray = (energies: Partial<Energies>): (number | null)[] => REGISTERS.map((name) => energies[name] ?? null);

/** Indexes of the registers in a PostgreSQL array, from 1. */
export const REGISTER_PLACES = REGISTERS.map((_, k) => k + 1);
/** The totals precede the tariffs. */
const TARIFFS = REGISTER_PLACES.slice(2);

/**
 * SQL sum of the customers' energy in kWh over the balance days with data, in the order of `registers`. The tariffs are null when one of
 * the days lacks them.
 */
export const sumOfDays = (balance: string): RawBuilder<number[]> => {
  const of = (column: string) => sql.ref(`${balance}.${column}`);
  const told = sql`filter (where ${of('meters_data')} > 0)`;
  const tariffs = of('tariffs_kwh');
  const sums = TARIFFS.map(
    (_, k) => sql`case when count(*) ${told} = count(${tariffs}) ${told} then sum(${tariffs}[${sql.lit(k + 1)}]) ${told} end`,
  );
  return sql`array[sum(${of('plus_kwh')}) ${told}, sum(${of('minus_kwh')}) ${told}, ${sql.join(sums)}]::float8[]`;
};

/** SQL sums of the tariffs of `used` over the rows that meet a condition. */
export const sumOfTariffs = (used: RawBuilder<unknown>, where: RawBuilder<unknown>) =>
  sql`array[${sql.join(TARIFFS.map((k) => sql`sum(${used}[${sql.lit(k)}]) filter (where ${where})`))}]`;
