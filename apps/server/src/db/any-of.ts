import { sql, type RawBuilder } from 'kysely';

/**
 * Whether a column is one of many values, given as one array: a list of parameters would have an end, and every length of
 * it would be another statement to plan. One value is compared as one: only then an index gives its order as well.
 */
export const anyOf = (column: string, type: 'text' | 'bigint', values: readonly (string | null)[]): RawBuilder<boolean> =>
  values.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${values[0]}::${sql.raw(type)}`
    : sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`;
