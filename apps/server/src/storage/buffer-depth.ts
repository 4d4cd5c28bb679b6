import { BUFFER_DAYS } from '@hes/contract/reading/gap.ts';
import { isFreeze, type CountedProfile } from '@hes/contract/reading/reading.ts';
import { METER_TYPE_PLACES } from '#db/profile-places.ts';
import { DEFAULT_PERIOD_S } from './channels.ts';

const DAY_S = 86_400;
/** Seconds between rows; the longest month for freezes, because an underestimated depth would mark gaps as lost too early. */
const ROW_INTERVAL_S: Record<CountedProfile, number> = { ...DEFAULT_PERIOD_S, daily: DAY_S, monthly: 31 * DAY_S };
/** Cap for meters that report the maximum integer as their number of entries. */
const MAX_DEPTH_S = 20 * 366 * DAY_S;

/** Key of a profile's buffer depth, in seconds, in the cached metadata of a meter. */
export const depthKeyOf = (profile: CountedProfile): string => `depth:${profile}`;

/** Seconds that a full buffer reaches back; undefined when the meter did not report its number of entries. */
export function depthSecondsOf(
  profile: CountedProfile,
  buffer: { entries: number | undefined; periodSeconds: number },
): number | undefined {
  const { entries, periodSeconds } = buffer;
  if (entries === undefined || entries === 0) return undefined;
  const rowSeconds = isFreeze(profile) ? ROW_INTERVAL_S[profile] : periodSeconds || ROW_INTERVAL_S[profile];
  return Math.min(MAX_DEPTH_S, entries * rowSeconds);
}

const days = Object.entries(BUFFER_DAYS).map(([profile, count]) => `when '${profile}' then interval '${count} days'`);

/**
 * Open gaps with the buffer depth of their profile: `id`, `to_at`, `depth`. The meter's reported depth precedes the template of its type,
 * which precedes the default of the profile.
 */
export const OPEN_GAPS_WITH_DEPTH = `
  with declared as (
    select t.id as type_id, lower(key) as profile, (place ->> 'entries')::float8 as entries
    from meter_type t join ${METER_TYPE_PLACES} as places using (profile_id) where key in ('DAILY', 'MONTHLY', 'ENERGY', 'LPA', 'LPB')
  ), told as (
    select k.id as memory_id, substr(d.key, 7) as profile, d.value::float8 as seconds
    from meter_memory k cross join json_each_text(k.told) d where d.key like 'depth:%'
  )
  select g.id, g.to_at, coalesce(
    k.seconds * interval '1 second',
    case when d.entries is not null then least(${MAX_DEPTH_S}, d.entries * case g.profile when 'lpa' then t.lpa_period_s when 'lpb' then t.lpb_period_s
      when 'daily' then ${ROW_INTERVAL_S.daily} when 'monthly' then ${ROW_INTERVAL_S.monthly} else ${ROW_INTERVAL_S.energy} end) * interval '1 second' end,
    case g.profile ${days.join(' ')} end) as depth
  from reading_gap g join meter m on m.id = g.meter_id join meter_type t on t.id = m.meter_type_id
  left join told k on k.memory_id = m.memory_id and k.profile = g.profile
  left join declared d on d.type_id = m.meter_type_id and d.profile = g.profile
  where g.state = 'open'`;
