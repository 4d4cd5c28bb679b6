import { sql, type RawBuilder } from 'kysely';

/**
 * Membership in an array parameter: a parameter list is limited in length, and each length is a separate plan. A single value uses `=`,
 * because only then can an index also supply the order.
 */
export const isInArray = (column: string, type: 'text' | 'bigint', values: readonly (string | null)[]): RawBuilder<boolean> =>
  values.length === 1
    ? sql<boolean>`${sql.ref(column)} = ${values[0]}::${sql.raw(type)}`
    : sql<boolean>`${sql.ref(column)} = any(${[...values]}::${sql.raw(type)}[])`;
