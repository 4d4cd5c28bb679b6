interface Count {
  got: number;
  expected: number;
}

const FULL = 0.995;

/** Tone of the completeness of a day. While history is being filled, a low rate is work in progress and no fault. */
export function toneOfDay({ got, expected }: Count, isFilling: boolean): string {
  if (expected === 0) return 'none';
  const share = got / expected;
  if (isFilling && share < FULL) return 'run';
  return share >= FULL ? 'ok' : share >= 0.95 ? 'amber' : share >= 0.8 ? 'orange' : 'red';
}

/** Tone of a DCU among those with the most missing values. */
export function toneOfWorst({ got, expected }: Count, isFilling: boolean): 'run' | 'red' | 'amber' | 'ok' {
  if (got * 100 >= expected * 95) return 'ok';
  if (isFilling) return 'run';
  return got * 2 < expected ? 'red' : 'amber';
}
