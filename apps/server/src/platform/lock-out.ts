import { ApiError } from './api-error.ts';

/** Wrong passwords and codes of one user name. */
export interface Failures {
  count: number;
  since: Date | null;
}

export const MAX_FAILURES = 5;
const WINDOW_MS = 15 * 60_000;

/** Failures that began before can lock nobody any more. */
export const lockOutWindow = (now: number): Date => new Date(now - WINDOW_MS);

export const endOfLockOut = (since: Date): Date => new Date(since.getTime() + WINDOW_MS);

export const NO_FAILURES: Failures = { count: 0, since: null };

const isOver = (failures: Failures, now: number) => failures.since === null || now - failures.since.getTime() >= WINDOW_MS;

/** One wrong password or code more. The window begins with the first, and anew with the one that locks. */
export function failOnce(failures: Failures, now: number): Failures {
  const count = isOver(failures, now) ? 1 : failures.count + 1;
  const begins = count === 1 || count >= MAX_FAILURES || failures.since === null;
  return { count, since: begins ? new Date(now) : failures.since };
}

/** A try that was counted beforehand and was no failure. */
export const takeBackOne = ({ count, since }: Failures): Failures => (count <= 1 ? NO_FAILURES : { count: count - 1, since });

/** Minutes until the name may try again; 0 when it may now. */
export function lockedMinutes(failures: Failures, now: number): number {
  if (failures.count < MAX_FAILURES || failures.since === null || isOver(failures, now)) return 0;
  return Math.ceil((failures.since.getTime() + WINDOW_MS - now) / 60_000);
}

/** The refusal of a name that is locked for a while. */
export const lockedError = (minutes: number): ApiError =>
  new ApiError('LOCKED', {
    reason: {
      en: `too many wrong passwords or codes; try again in ${minutes} min`,
      zh: `密码或验证码错误次数过多，请${minutes}分钟后重试`,
    },
  });
