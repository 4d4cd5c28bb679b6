import { rmSync } from 'node:fs';
import { listBackups, type Backup } from './layout.ts';
import { listSegments, positionOf, segmentFile } from './wal-archive.ts';

const DAY_MS = 86_400_000;
/** So many backups remain whatever their age: a stopped schedule must not delete the last ones. */
const LEAST_KEPT = 2;

export interface Pruned {
  backups: string[];
  segments: number;
}

const mayGo = (backup: Backup, index: number, all: readonly Backup[], keptSinceMs: number): boolean =>
  all.length - index > LEAST_KEPT &&
  Date.parse(backup.manifest.endedAt) < keptSinceMs &&
  // The last one that is known to work remains until a later one was verified.
  (backup.verification === undefined || all.slice(index + 1).some(({ verification }) => verification !== undefined));

/** Deletes backups older than `days`, and the segments of the archive that no remaining backup needs. */
export function pruneBackups(folder: string, days: number, nowMs: number): Pruned {
  const all = listBackups(folder);
  const gone = all.filter((backup, index) => mayGo(backup, index, all, nowMs - days * DAY_MS));
  for (const { folder: own } of gone) rmSync(own, { recursive: true, force: true });
  const [oldest] = all.filter((backup) => !gone.includes(backup));
  if (oldest === undefined) return { backups: [], segments: 0 };
  const useless = listSegments(folder).filter((name) => positionOf(name) < positionOf(oldest.manifest.firstWal));
  for (const name of useless) rmSync(segmentFile(folder, name), { force: true });
  return { backups: gone.map(({ name }) => name), segments: useless.length };
}
