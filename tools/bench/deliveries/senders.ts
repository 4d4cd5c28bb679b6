import { setTimeout as wait } from 'node:timers/promises';
import { audienceOf } from '../../../apps/server/src/features/deliveries/port.ts';
import { readCursor } from '../../../apps/server/src/features/deliveries/feed/cursor.ts';
import { FIND_ITEMS } from '../../../apps/server/src/features/deliveries/feed/items.ts';
import { readOutbox } from '../../../apps/server/src/features/deliveries/feed/outbox-queries.ts';
import { cloudEventOf, type CloudEvent } from '../../../apps/server/src/features/deliveries/senders/cloud-events.ts';
import { createSender, pauseSender } from '../../../apps/server/src/features/deliveries/senders/service.ts';
import type { Context, Who } from '../../../apps/server/src/db/context.ts';
import type { Receiver } from '../../deliveries/receiver.ts';

const POLL_MS = 20;
const LIMIT_MS = 300_000;
const ENTRIES_AT_ONCE = 500;

/** Adds a sender of readings. Returns its id. */
export async function addSender(ctx: Context, who: Who, { name, sender }: Pick<Receiver, 'name' | 'sender'>): Promise<string> {
  return (await createSender(ctx, who, { name, contents: ['readings'], levelIds: [], ...sender })).id;
}

async function countSent({ pool }: Pick<Context, 'pool'>, id: string): Promise<number> {
  const { rows } = await pool.query<{ sent: number; failure: string | null }>(
    "select sent::int, failure_code || ' ' || coalesce(failure_detail, '') as failure from sender where id = $1",
    [id],
  );
  const [sender] = rows;
  if (sender === undefined || sender.failure !== null) throw new Error(`The sender fails: ${sender?.failure ?? 'it is gone'}`);
  return sender.sent;
}

/** Waits until a sender has sent this many items in all. */
export async function untilSent(ctx: Pick<Context, 'pool'>, id: string, items: number): Promise<void> {
  for (const givenUpAt = Date.now() + LIMIT_MS; (await countSent(ctx, id)) < items; await wait(POLL_MS))
    if (Date.now() > givenUpAt) throw new Error(`Only ${await countSent(ctx, id)} of ${items} items were sent`);
}

/** Items a second of a paused sender, from its first batch to the last of `items`; the second until the engine looks again is left out. */
export async function senderRate(ctx: Context, who: Who, { id, items }: { id: string; items: number }): Promise<number> {
  await pauseSender(ctx, who, id, false);
  await untilSent(ctx, id, 1);
  const [begun, before] = [performance.now(), await countSent(ctx, id)];
  await untilSent(ctx, id, items);
  const seconds = (performance.now() - begun) / 1000;
  await pauseSender(ctx, who, id, true);
  return (items - before) / seconds;
}

/** The events that a sender has before it. */
export async function eventsOf(ctx: Context, id: string): Promise<CloudEvent[]> {
  const { rows } = await ctx.pool.query<{ position: string }>("select positions ->> 'readings' as position from sender where id = $1", [
    id,
  ]);
  const events: CloudEvent[] = [];
  let cursor = readCursor(rows[0]?.position ?? '');
  for (let hasMore = true; hasMore;) {
    const part = await readOutbox(ctx.db, 'readings', cursor, ENTRIES_AT_ONCE);
    const items = await FIND_ITEMS.readings(ctx, audienceOf([]), part.entries);
    events.push(...items.map((item) => cloudEventOf('readings', item)));
    [cursor, hasMore] = [part.next, part.hasMore];
  }
  return events;
}
