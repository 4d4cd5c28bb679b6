import type { StationRow } from '@hes/contract/debug/sta-model.ts';
import { compareVersions } from '#platform/versions.ts';
import type { LibraryRow, ModuleRow } from './queries.ts';

/** The newest approved firmware of the module's vendor; null when there is none. */
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
