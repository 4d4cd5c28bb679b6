/** How complete something is, as a colour. */
export const toneOf = (got: number, expected: number) =>
  expected === 0 ? 'none' : got >= expected ? 'ok' : got * 100 >= expected * 95 ? 'amber' : got > 0 ? 'orange' : 'red';
