/**
 * Array literal of numbers, identifiers and UUIDs; null becomes NULL. Elements must not contain quotes, commas or braces: unlike the driver,
 * which examines every character of every element, this does not escape them.
 */
export const pgArrayLiteral = (values: readonly (string | number | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`;
