import { writeAudit } from './audit.ts';
import type { Context, Who } from './context.ts';
import { RateLimiter } from '#platform/rate-limiter.ts';

const HOUR_S = 3600;

/** A meter that is looked at, or a list of several with the filter behind it. */
type Viewed = { meterId: string; sn: string | undefined } | { meterId?: undefined; filter: Record<string, unknown> };

/**
 * Readings show when people are at home, so the audit log says who looked at whose: one row an hour for each user and meter, and one for each
 * user and list. A page asks again and again, and a row for each call would hide what it is about.
 */
export class ReadingViews {
  readonly #hourly: RateLimiter;

  constructor(clock: Context['clock']) {
    this.#hourly = new RateLimiter({ burst: 1, perSecond: 1 / HOUR_S }, clock);
  }

  async record(ctx: Context, { user, ip }: Who, viewed: Viewed): Promise<void> {
    if (this.#hourly.take(`${user.id} ${viewed.meterId ?? 'list'}`) > 0) return;
    const about =
      viewed.meterId === undefined
        ? { entityId: null, detail: { filter: viewed.filter } }
        : { entityId: viewed.meterId, detail: viewed.sn === undefined ? {} : { sn: viewed.sn } };
    const entry = { userId: user.id, action: 'readings_viewed', entity: 'meter', ...about, ip } as const;
    await ctx.db.transaction().execute((tx) => writeAudit(tx, entry, ctx.clock.now()));
  }
}
