import { MAX_CORRECTIONS, storedAs, type CorrectionRow, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { iso } from '#db/paging.ts';
import type { Db } from '#db/context.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { dayBegins, dayEnds } from './queries.ts';

type Named = { name: CorrectionRow['value']; divisor: number };

const CHANNEL_NAMES = new Map<string, Named>(
  CHANNELS.map(({ column, key, storedPerUnit }) => [column, { name: key, divisor: storedPerUnit }]),
);
const REGISTER_NAMES = new Map<string, Named>(DAILY_REGISTERS.map(({ column, key }) => [column, { name: key, divisor: 1 }]));
const STATUS: Named = { name: 'statusWord', divisor: 1 };

interface CorrectionFilter {
  meterId: string;
  profile: CountedProfile;
  from: string;
  to: string;
}

/** Replaced values of a meter in local days, the newest replacement first. */
export async function listCorrections(
  db: Db,
  { meterId, profile, from, to }: CorrectionFilter,
  timeZone: string,
): Promise<CorrectionRow[]> {
  const stored = storedAs(profile);
  const names = stored === 'daily' ? REGISTER_NAMES : CHANNEL_NAMES;
  const rows = await db
    .selectFrom('readingCorrection')
    .where('meterId', '=', meterId)
    .where('profile', '=', stored)
    .where('ts', '>=', dayBegins(from, timeZone))
    .where('ts', '<', dayEnds(to, timeZone))
    .selectAll()
    .orderBy('replacedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MAX_CORRECTIONS)
    .execute();
  return rows.map(({ channel, former, value, ...row }): CorrectionRow => {
    const named = names.get(channel) ?? STATUS;
    const { formerSource, formerTraceId, source, traceId, taskId } = row;
    return {
      ts: iso(row.ts),
      value: named.name,
      former: Number(former) / named.divisor,
      present: Number(value) / named.divisor,
      formerReadAt: iso(row.formerReadAt),
      formerSource,
      formerTraceId,
      replacedAt: iso(row.replacedAt),
      source,
      traceId,
      taskId,
    };
  });
}
