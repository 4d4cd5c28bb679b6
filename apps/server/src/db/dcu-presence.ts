import { sql, type RawBuilder } from 'kysely';

/** Consecutive heartbeats that may be missing before a DCU counts as offline. */
export const MISSED_HEARTBEATS = 2.5;

/** Interval a DCU of `dcu_type` may need to connect or to prove that it is still connected. */
export const RESPONSE_TIME = sql`make_interval(secs => dcu_type.heartbeat_s * ${sql.lit(MISSED_HEARTBEATS)})`;

/** Upper bound of the time between two updates of `alive_at` in `node`. */
export const RUN_RECORDED_EVERY = sql`interval '1 minute'`;

/**
 * Time ranges of the rows `dcu` and `dcu_type` since `since`: `online`, when the DCU was connected, and `known`, when it is known
 * whether it was. Unknown are the time before its registration, the downtime of the head-end, and after each of both the time that
 * the DCU may need to connect, as long as it has not connected.
 */
export const presenceSince = (since: RawBuilder<Date>) => sql`(
  select online, online + coalesce((
      select range_agg(tstzrange(least(greatest(run.started_at, dcu.created_at) + ${RESPONSE_TIME}, run.alive_at), run.alive_at))
      from node run where run.alive_at > ${since}), '{}') as known
  from (
    select coalesce(range_agg(tstzrange(least(session.opened_at, coalesce(session.closed_at, now())), coalesce(session.closed_at, now()))), '{}') as online
    from dcu_session session
    where session.dcu_id = dcu.id and session.identified_at is not null and coalesce(session.closed_at, now()) > ${since}
  ) as connected)`;

/** Seconds that a multirange covers within a range. */
export const secondsIn = (ranges: RawBuilder<unknown>, range: RawBuilder<unknown>) =>
  sql<number>`(select coalesce(sum(extract(epoch from upper(part) - lower(part))), 0)::float8 from unnest(${ranges} * tstzmultirange(${range})) as part)`;
