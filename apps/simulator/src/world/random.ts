/** Mixes one whole number into a running 32-bit hash (the finaliser of MurmurHash3). */
function mix(state: number, value: number): number {
  let h = Math.imul(state ^ value, 0x9e3779b1);
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** An independent random stream for each part of the world: equal seeds and names give equal streams in every process. */
export function streamOf(seed: number, name: string): number {
  let h = mix(0x5eed, seed);
  for (let i = 0; i < name.length; i++) h = mix(h, name.charCodeAt(i));
  return h;
}

/** A number in [0, 1) determined by `index` of the stream, independent of the order of calls. */
export function unitAt(stream: number, index: number, sub = 0): number {
  return (mix(mix(stream, index), sub) >>> 0) / 0x1_0000_0000;
}

/** A number in [from, to) determined by `index` of the stream. */
export function between(stream: number, index: number, from: number, to: number): number {
  return from + (to - from) * unitAt(stream, index);
}

/** One of the items, determined by `index` of the stream. */
export function pick<T>(stream: number, index: number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(unitAt(stream, index) * items.length)] ?? items[0];
}
