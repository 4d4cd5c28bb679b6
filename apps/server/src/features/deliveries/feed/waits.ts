import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { Context } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { findNewRows } from './outbox-queries.ts';

/** The database is asked at this interval while calls wait. */
const LOOK_MS = 500;
/** Calls of one account that may wait at the same time, in this process. */
const MAX_WAITS = 8;
const RETRY_S = 30;

/** Whether rows became visible since a snapshot, and the present one. */
type Look = (since: string | undefined) => Promise<{ snapshot: string; hasRows: boolean }>;

/** Looks for new rows of one kind on behalf of all calls that wait for them. */
class Watch {
  /** Rises when rows became visible. */
  version = 0;
  readonly #look: Look;
  readonly #waiting = new Set<() => void>();
  #isLooking = false;

  constructor(look: Look) {
    this.#look = look;
  }

  /** Resolves when rows became visible after `version` was read, or when the time is over. */
  async next(version: number, ms: number): Promise<void> {
    if (version !== this.version || ms <= 0) return;
    const woken = new Promise<void>((resolve) => {
      const timer = setTimeout(wake, ms);
      const waiting = this.#waiting;
      function wake(): void {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
    });
    if (!this.#isLooking) void this.#keepLooking();
    await woken;
  }

  /** The first look has nothing to compare with, and wakes; a failure wakes as well, so that the calls report it. */
  async #keepLooking(): Promise<void> {
    this.#isLooking = true;
    let since: string | undefined;
    while (this.#waiting.size > 0) {
      const found = await this.#look(since).catch(() => ({ snapshot: undefined, hasRows: true }));
      if (found.hasRows) {
        this.version++;
        for (const wake of this.#waiting) wake();
      }
      since = found.snapshot;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    this.#isLooking = false;
  }
}

/** Long polls: one look at the database for all of them, and a limit for each account. */
export class FeedWaits {
  readonly #db: Context['db'];
  readonly #watches = new Map<FeedKind, Watch>();
  readonly #ofUsers = new Map<string, number>();

  constructor({ db }: Pick<Context, 'db'>) {
    this.#db = db;
  }

  watch(kind: FeedKind): Watch {
    const found = this.#watches.get(kind) ?? new Watch((since) => findNewRows(this.#db, kind, since));
    this.#watches.set(kind, found);
    return found;
  }

  /** Does work that may wait; refuses it if the account has as many waiting calls as it may. */
  async of<T>(userId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ofUsers.get(userId) ?? 0;
    if (before >= MAX_WAITS) throw new ApiError('RATE_LIMIT', { seconds: RETRY_S });
    this.#ofUsers.set(userId, before + 1);
    try {
      return await work();
    } finally {
      const left = (this.#ofUsers.get(userId) ?? 1) - 1;
      if (left > 0) this.#ofUsers.set(userId, left);
      else this.#ofUsers.delete(userId);
    }
  }
}
