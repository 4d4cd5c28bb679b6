import { fill } from '@hes/contract/core/text.ts';
import { ApiError } from './api-error.ts';

/** Counter of wrong passwords and codes. */
export interface Failures {
  count: number;
  since: Date | null;
}

export const MAX_FAILURES = 5;
const WINDOW_MS = 15 * 60_000;

/** Start of the window; failure counters that began earlier have expired. */
export const lockOutWindow = (now: number): Date => new Date(now - WINDOW_MS);

export const endOfLockOut = (since: Date): Date => new Date(since.getTime() + WINDOW_MS);

export const NO_FAILURES: Failures = { count: 0, since: null };

const isOver = (failures: Failures, now: number) => failures.since === null || now - failures.since.getTime() >= WINDOW_MS;

/** Counts one wrong password or code. The window starts with the first failure, and restarts with the one that locks. */
export function countFailure(failures: Failures, now: number): Failures {
  const count = isOver(failures, now) ? 1 : failures.count + 1;
  const begins = count === 1 || count >= MAX_FAILURES || failures.since === null;
  return { count, since: begins ? new Date(now) : failures.since };
}

/** Reverts the count of an attempt that succeeded. */
export const revertFailure = ({ count, since }: Failures): Failures => (count <= 1 ? NO_FAILURES : { count: count - 1, since });

/** Remaining minutes of the lock-out; 0 when not locked. */
export function lockedMinutes(failures: Failures, now: number): number {
  if (failures.count < MAX_FAILURES || failures.since === null || isOver(failures, now)) return 0;
  return Math.ceil((failures.since.getTime() + WINDOW_MS - now) / 60_000);
}

/** Error for a sign-in during a lock-out. */
export const lockedError = (minutes: number): ApiError =>
  new ApiError('LOCKED', {
    reason: fill(
      { en: 'too many wrong passwords or codes; try again in {minutes} min', zh: '密码或验证码错误次数过多，请{minutes}分钟后重试' },
      { minutes },
    ),
  });
