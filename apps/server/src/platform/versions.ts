/** The numbers in a version text: `HES-ST 1.2.0` is 1, 2, 0. */
const numbersOf = (version: string): number[] => (/\d+(?:\.\d+)+|\d+$/.exec(version)?.[0].split('.') ?? []).map(Number);

/** Negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether `version` is older; a version without numbers is neither older nor newer. */
export const isOlder = (version: string, than: string): boolean =>
  numbersOf(version).length > 0 && numbersOf(than).length > 0 && compareVersions(version, than) < 0;
