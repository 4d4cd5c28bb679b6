import { sql } from 'kysely';

/** State of the message `m` by what happened to it, as `MESSAGE_STATES` describes. */
export const MESSAGE_STATE = sql`case
  when m.state = 'sent' and jsonb_path_exists(m.outcomes, '$[*] ? (@.state != "sent" && @.state != "removed")') then 'partly'
  when m.state = 'failed' and m.is_uncertain then 'unknown' else m.state end`;

/** Numbers of messages `m` by state. */
export const countMessages = sql`count(*) filter (where ${MESSAGE_STATE} = 'sent')::int as sent,
  count(*) filter (where ${MESSAGE_STATE} = 'partly')::int as partly, count(*) filter (where ${MESSAGE_STATE} = 'failed')::int as failed,
  count(*) filter (where ${MESSAGE_STATE} = 'unknown')::int as unknown, count(*) filter (where ${MESSAGE_STATE} = 'waiting')::int as waiting`;
