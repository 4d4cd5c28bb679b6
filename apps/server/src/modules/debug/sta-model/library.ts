import type { StationRow } from '@hes/contract/debug/sta-model.ts';
import type { LibraryRow, ModuleRow } from './queries.ts';

/** The numbers of a version, however it is dressed: `HES-ST 1.2.0` is 1, 2, 0. */
const numbersOf = (version: string): number[] => (/\d+(?:\.\d+)+|\d+$/.exec(version)?.[0] ?? '').split('.').map(Number);

/** Below zero: the first is the older one. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [numbersOf(a), numbersOf(b)];
  for (let at = 0; at < Math.max(first.length, second.length); at++) {
    const difference = (first[at] ?? 0) - (second[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The newest approved firmware of a module's own vendor; null: none, and what another vendor made is no comparison. */
export function besideLibrary(
  { vendor, swVersion }: Pick<ModuleRow, 'vendor' | 'swVersion'>,
  firmware: readonly LibraryRow[],
): StationRow['library'] {
  const isOf = ({ supplierCode, supplierName }: LibraryRow) =>
    [supplierCode, supplierName].some((name) => name.toLowerCase() === vendor.toLowerCase());
  const newest = firmware.filter(isOf).toSorted((a, b) => compareVersions(b.version, a.version))[0];
  if (newest === undefined) return null;
  const difference = compareVersions(swVersion, newest.version);
  const verdict = difference === 0 ? 'current' : difference < 0 ? 'older' : 'newer';
  return { firmwareId: newest.firmwareId, version: newest.version, verdict };
}
