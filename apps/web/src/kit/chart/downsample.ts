/** The columns of a chart: times, and one row of values per series. */
export interface Columns {
  times: number[];
  rows: (number | null)[][];
}

/**
 * Reduces the number of points: each stretch keeps the first, lowest, highest and last value of every series, and gaps stay gaps. Peaks are
 * never lost.
 */
export function downsample({ times, rows }: Columns, maxPoints: number): Columns {
  if (times.length <= maxPoints) return { times, rows };
  const stretches = Math.max(1, Math.floor(maxPoints / (2 + 2 * rows.length)));
  const kept = new Set<number>();
  for (let stretch = 0; stretch < stretches; stretch++) {
    const from = Math.floor((stretch * times.length) / stretches);
    const to = Math.floor(((stretch + 1) * times.length) / stretches);
    kept.add(from).add(to - 1);
    for (const row of rows) {
      let [low, high, gap] = [-1, -1, -1];
      for (let at = from; at < to; at++) {
        const value = row[at] ?? null;
        if (value === null) gap = at;
        else {
          if (low === -1 || value < (row[low] ?? Infinity)) low = at;
          if (high === -1 || value > (row[high] ?? -Infinity)) high = at;
        }
      }
      for (const at of [low, high, gap]) if (at !== -1) kept.add(at);
    }
  }
  const places = [...kept].toSorted((a, b) => a - b);
  return { times: places.map((at) => times[at] ?? 0), rows: rows.map((row) => places.map((at) => row[at] ?? null)) };
}
