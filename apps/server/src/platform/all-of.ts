/** When all of these are done; undefined when there is none. What there is only one of is not wrapped: most meters have one commit, and each wrapper would live until it. */
export function allOf(promises: readonly (Promise<unknown> | undefined)[]): Promise<unknown> | undefined {
  const some = promises.filter((promise) => promise !== undefined);
  return some.length > 1 ? Promise.all(some) : some[0];
}
