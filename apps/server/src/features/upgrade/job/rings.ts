import type { RingSize } from '@hes/contract/upgrade/job.ts';

/** Number of devices in each ring. The rest forms the last ring; empty rings are left out. */
export function ringCounts(total: number, sizes: readonly RingSize[]): number[] {
  const counts: number[] = [];
  let left = total;
  for (const { unit, size } of sizes) {
    const wanted = unit === 'devices' ? size : Math.ceil((total * size) / 100);
    const count = Math.min(wanted, left);
    if (count > 0) counts.push(count);
    left -= count;
  }
  if (left > 0) counts.push(left);
  return counts;
}

/** Interleaves the targets by DCU, so that the first rings cover as many locations as possible. */
export function interleaveByDcu<T extends { dcuId: string | null; sn: string }>(targets: readonly T[]): T[] {
  const places = new Map<string | null, number>();
  return targets
    .toSorted((a, b) => (a.sn < b.sn ? -1 : 1))
    .map((target) => {
      const place = places.get(target.dcuId) ?? 0;
      places.set(target.dcuId, place + 1);
      return { target, place };
    })
    .toSorted((a, b) => a.place - b.place)
    .map(({ target }) => target);
}
