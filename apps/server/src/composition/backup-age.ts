import type { BackupState } from '@hes/contract/manager/backup.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One backup that fails is made again within hours; three intervals without any are a fault. */
const INTERVALS = 3;
/** Limit without a schedule, when operators run `hes backup` themselves. */
const LIMIT_WITHOUT_SCHEDULE_MS = 7 * DAY_MS;
/** An alarm that was acknowledged is repeated, because backups may stay away for weeks. */
export const REPEATED_AFTER_MS = DAY_MS;

/** Age from which the newest verified backup is too old. */
const oldestAllowedMs = (everyMs: number): number => (everyMs === 0 ? LIMIT_WITHOUT_SCHEDULE_MS : INTERVALS * everyMs);

interface AgeLimit {
  /** Interval of the schedule; 0: none. */
  everyMs: number;
  nowMs: number;
  /** Start of the head-end, from which the age counts before the first verified backup. */
  startedMs: number;
}

/** One sentence if the newest verified backup is older than allowed, else undefined. */
export function explainOldBackup(
  { verifiedAt }: Pick<BackupState, 'verifiedAt'>,
  { everyMs, nowMs, startedMs }: AgeLimit,
): string | undefined {
  const ageMs = nowMs - (verifiedAt === null ? startedMs : Date.parse(verifiedAt));
  const limitMs = oldestAllowedMs(everyMs);
  if (ageMs <= limitMs) return undefined;
  const hours = Math.floor(ageMs / HOUR_MS);
  const limit = `${Math.round(limitMs / HOUR_MS)} hours are allowed`;
  return verifiedAt === null
    ? `No backup was verified since the head-end started ${hours} hours ago; ${limit}.`
    : `The newest verified backup is ${hours} hours old, of ${verifiedAt}; ${limit}.`;
}
