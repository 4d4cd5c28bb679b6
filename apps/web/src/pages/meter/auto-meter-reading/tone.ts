/** The colour of a completeness. */
export const toneOf = (got: number, expected: number) =>
  expected === 0 ? 'none' : got >= expected ? 'ok' : got * 100 >= expected * 95 ? 'amber' : got > 0 ? 'orange' : 'red';
