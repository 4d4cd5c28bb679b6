import type { AlarmCriteria } from '@hes/contract/alarm/rule.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, Tx } from '#db/context.ts';
import { SAME_CAUSE_MS } from '#storage/events/incidents.ts';
import { addEvents, findActiveRules, insertAlarm, lockOpenAlarms, type StoredAlarm, type StoredRule } from './alarm-queries.ts';
import { isActive, matches, minuteOfDay, type SeenEvent } from './criteria.ts';
import { findEventsAfter, lockMark, moveMark, newestEventId, type StoredEvent } from './event-queries.ts';

/** Events that arrive later than this after they occurred start no alarm. */
const NEWS_MS = 24 * 3_600_000;

type Tools = Pick<Context, 'db' | 'settings' | 'clock'>;

/** An alarm with the events that this pass adds to it. */
interface Growing {
  alarm: StoredAlarm;
  eventIds: string[];
}

const asSeen = (now: number, { level, levelPath, occurAt, isMuted, direction, ...event }: StoredEvent): SeenEvent[] =>
  level === null || isMuted || direction === 'recover' || occurAt.getTime() < now - NEWS_MS
    ? []
    : [{ ...event, level, occurAt: occurAt.getTime(), levelPath: levelPath ?? [] }];

/** Whether an event has the cause of an open alarm of its rule and code. */
function belongsTo({ dcuIds, lastAt, firstOccurAt, lastOccurAt }: StoredAlarm, { dcuId, occurAt }: SeenEvent, now: number): boolean {
  if (dcuId !== null && dcuIds.includes(dcuId)) return true;
  if (now - lastAt.getTime() <= SAME_CAUSE_MS) return true;
  if (firstOccurAt === null || lastOccurAt === null) return false;
  return occurAt >= firstOccurAt.getTime() - SAME_CAUSE_MS && occurAt <= lastOccurAt.getTime() + SAME_CAUSE_MS;
}

const firstWaitOf = ({ criteria, steps }: StoredRule): number => Math.max(criteria.gatherSeconds, (steps[0]?.afterMinutes ?? 0) * 60);

async function openAlarm(tx: Tx, rule: StoredRule, { log, code, level }: SeenEvent, now: number): Promise<Growing> {
  const openedAt = new Date(now);
  const fresh = { ruleId: rule.id, log, code, level, openedAt, waitSeconds: firstWaitOf(rule) };
  const id = await insertAlarm(tx, fresh);
  const empty = { firstOccurAt: null, lastOccurAt: null, events: 0, dcuIds: [], step: 0, acknowledgedAt: null };
  return { alarm: { ...fresh, ...empty, id, lastAt: openedAt, waitSince: openedAt }, eventIds: [] };
}

function add({ alarm, eventIds }: Growing, { id, level, dcuId, occurAt }: SeenEvent, now: number): void {
  eventIds.push(id);
  if (level === 'serious') alarm.level = level;
  alarm.lastAt = new Date(now);
  alarm.firstOccurAt = new Date(Math.min(alarm.firstOccurAt?.getTime() ?? occurAt, occurAt));
  alarm.lastOccurAt = new Date(Math.max(alarm.lastOccurAt?.getTime() ?? occurAt, occurAt));
  if (dcuId !== null && !alarm.dcuIds.includes(dcuId)) alarm.dcuIds.push(dcuId);
}

/** Applies rules to events: they join open alarms of their cause, or open new ones. */
async function applyRules(tx: Tx, rules: readonly StoredRule[], events: readonly SeenEvent[], now: number): Promise<void> {
  const growing: Growing[] = (
    await lockOpenAlarms(
      tx,
      rules.map(({ id }) => id),
    )
  ).map((alarm) => ({ alarm, eventIds: [] }));
  for (const event of events)
    for (const rule of rules) {
      if (!matches(rule.criteria, event)) continue;
      const isSame = ({ alarm }: Growing) => alarm.ruleId === rule.id && alarm.log === event.log && alarm.code === event.code;
      let known = growing.find((each) => isSame(each) && belongsTo(each.alarm, event, now));
      if (known === undefined) growing.push((known = await openAlarm(tx, rule, event, now)));
      add(known, event, now);
    }
  for (const { alarm, eventIds } of growing) if (eventIds.length > 0) await addEvents(tx, alarm, eventIds);
}

const isActiveNow =
  (minute: number) =>
  ({ criteria }: { criteria: AlarmCriteria }): boolean =>
    isActive(criteria, minute);

/**
 * Applies the rules to the events behind the mark, and moves the mark in the same transaction. Returns whether more events may follow.
 * Two nodes at once do it one after another.
 */
export async function findAlarms({ db, settings, clock }: Tools): Promise<boolean> {
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const mark = await lockMark(tx);
    const all = await findActiveRules(tx, 'alarm');
    if (all.length === 0) {
      const newest = await newestEventId(tx);
      if (BigInt(newest) > BigInt(mark)) await moveMark(tx, newest);
      return false;
    }
    const stored = await findEventsAfter(tx, mark);
    const last = stored.at(-1);
    if (last === undefined) return false;
    const rules = all.filter(isActiveNow(minuteOfDay(now, new Zone(settings.timeZone))));
    await applyRules(
      tx,
      rules,
      stored.flatMap((event) => asSeen(now, event)),
      now,
    );
    await moveMark(tx, last.id);
    return true;
  });
}
