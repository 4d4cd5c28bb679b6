import { writeAudit } from './audit.ts';
import type { Context, Who } from './context.ts';
import { RateLimiter } from '#platform/rate-limiter.ts';

const HOUR_S = 3600;

/** One meter, or the filter of a list of meters. */
type Viewed = { meterId: string; sn: string | undefined } | { meterId?: undefined; filter: Record<string, unknown> };

/**
 * Audits access to readings, which reveal when customers are at home: one row per hour for each pair of user and meter, and for each user's
 * lists. Pages poll, so a row per request would flood the log.
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
