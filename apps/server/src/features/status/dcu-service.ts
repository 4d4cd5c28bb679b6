import type { DcuFacts } from '@hes/contract/status/dcu-status.ts';
import { STATUS_DAYS } from '@hes/contract/status/meter-status.ts';
import type { Context, User } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import { clockFacts } from './clock-facts.ts';
import { countDiffering, findDcuRecord, findNetworkOf, findUplink, listConnections, listDcuEvents, listSilent } from './dcu-queries.ts';
import { listDcuAttempts } from './history-queries.ts';
import { sightOf } from './sight-queries.ts';

const DAY_MS = 86_400_000;

/** Stored facts about a DCU in the user's area. Parts beyond the user's rights are null. */
export async function dcuFactsOf(ctx: Context, user: User, id: string): Promise<DcuFacts> {
  const { db } = ctx;
  const record = await findDcuRecord(db, user, id);
  if (record === undefined) throw new ApiError('NOT_FOUND');
  const now = ctx.clock.now();
  const since = new Date(now - STATUS_DAYS * DAY_MS);
  const { pages, kinds } = await sightOf(db, user, record.transformer?.id ?? null);
  const [silentMeters, uplink, network, archive, clock, attempts, events, timeline] = await Promise.all([
    listSilent(db, user, id),
    findUplink(db, id),
    pages.has('topology') ? findNetworkOf(db, id) : null,
    pages.has('archives') ? countDiffering(db, id).then((differs) => ({ differs })) : null,
    pages.has('clocks') ? clockFacts(db, 'dcu', id) : null,
    listDcuAttempts(db, id, since, kinds),
    pages.has('events') ? listDcuEvents(db, id, since) : null,
    listConnections(db, id, since),
  ]);
  return { at: new Date(now).toISOString(), ...record, silentMeters, uplink, network, archive, clock, attempts, events, timeline };
}
