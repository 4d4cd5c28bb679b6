/** Writes changes to the query string; values equal to their default are removed, and other words stay. */
export function writeUrl(search: URLSearchParams, defaults: Readonly<Record<string, unknown>>, change: object): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const [key, value] of Object.entries(change)) {
    if (typeof value !== 'string' || value === '' || value === defaults[key]) next.delete(key);
    else next.set(key, value);
  }
  return next;
}

/** A change of a filter resets the page number. */
export const refilter = <T extends Record<string, string | undefined>>(change: T): T & { page: undefined } => ({
  ...change,
  page: undefined,
});
