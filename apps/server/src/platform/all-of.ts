/**
 * Settles when all promises are done; undefined when there is none. Avoids Promise.all for a single promise, the common case of one commit
 * per meter.
 */
export function allOf(promises: readonly (Promise<unknown> | undefined)[]): Promise<unknown> | undefined {
  const some = promises.filter((promise) => promise !== undefined);
  return some.length > 1 ? Promise.all(some) : some[0];
}
