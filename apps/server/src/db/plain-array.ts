/**
 * Numbers, words of ours and UUIDs as a PostgreSQL array, null as NULL; nothing that could hold a quote, a comma or a brace. The driver looks
 * at every octet of every element for these, which for a batch of a thousand rows is more work than all else it does.
 */
export const plainArray = (values: readonly (string | number | null)[]): string => `{${values.map((value) => value ?? 'NULL').join(',')}}`;
