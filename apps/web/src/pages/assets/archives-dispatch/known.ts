import type { ArchiveRow, ArchiveSummary } from '@hes/contract/asset/archive.ts';

/** A number of entries that differ. What a change of a meter left to do is known; that nothing is left only a comparison tells. */
export const knownOf = (summary: ArchiveSummary, count: 'pending' | 'surplus'): number | null =>
  summary[count] > 0 || summary.comparedAt !== null ? summary[count] : null;

/** Whether the entry of this meter in the DCU is known from a comparison or from an order. */
export const isProven = ({ lastVerifyAt, diffKind, lastResult }: ArchiveRow): boolean =>
  lastVerifyAt !== null || diffKind !== null || lastResult === 'ok';
