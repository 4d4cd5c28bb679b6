import { Zone } from '@hes/contract/schedule/zone.ts';
import type { Context, Tx } from '#db/context.ts';
import { SAME_CAUSE_MS } from '#storage/events/incidents.ts';
import { addEvents, findActiveRules, insertAlarm, lockOpenAlarms, type StoredAlarm, type StoredRule } from './alarm-queries.ts';
import { isActive, matches, minuteOfDay, type SeenEvent } from './criteria.ts';
import { EVENTS_AT_ONCE, findEventsAfter, hasNewEvents, lockMark, moveMark, newestEventId, type StoredEvent } from './event-queries.ts';

/** Events that arrive later than this after they occurred start no alarm. */
const NEWS_MS = 24 * 3_600_000;
/** An alarm that speaks no more takes events for this long after it opened, so that one acknowledgement silences no rule for good. */
const MAX_SILENT_MS = 24 * 3_600_000;

type Tools = Pick<Context, 'db' | 'settings' | 'clock'>;

/** An alarm with the events that this pass adds to it. */
interface Growing {
  alarm: StoredAlarm;
  eventIds: string[];
  /** The same DCUs as those of the alarm, to be found quickly. */
  dcuIds: Set<string>;
}

const asSeen = (now: number, { level, levelPath, occurAt, isMuted, direction, ...event }: StoredEvent): SeenEvent[] =>
  level === null || isMuted || direction === 'recover' || occurAt.getTime() < now - NEWS_MS
    ? []
    : // The clock of a device may be years ahead; such an event must not stretch the span of its alarm.
      [{ ...event, level, occurAt: Math.min(occurAt.getTime(), now), levelPath: levelPath ?? [] }];

/**
 * Whether an event has the cause of an open alarm of its rule and code. An alarm that is acknowledged would take the events of another place in
 * silence, so it takes those of its own DCUs only; so does one without a further step, once the cause has had time to spread.
 */
function belongsTo({ alarm, dcuIds }: Growing, { dcuId, occurAt }: SeenEvent, now: number): boolean {
  const { lastAt, openedAt, firstOccurAt, lastOccurAt, acknowledgedAt, waitSeconds } = alarm;
  const isSilent = acknowledgedAt !== null || waitSeconds === null;
  if (isSilent && now - openedAt.getTime() > MAX_SILENT_MS) return false;
  const takesOwnOnly = acknowledgedAt !== null || (isSilent && now - openedAt.getTime() > SAME_CAUSE_MS);
  if (dcuId !== null && (takesOwnOnly || dcuIds.has(dcuId))) return dcuIds.has(dcuId);
  if (now - lastAt.getTime() <= SAME_CAUSE_MS) return true;
  if (firstOccurAt === null || lastOccurAt === null) return false;
  return occurAt >= firstOccurAt.getTime() - SAME_CAUSE_MS && occurAt <= lastOccurAt.getTime() + SAME_CAUSE_MS;
}

const firstWaitOf = ({ criteria, steps }: StoredRule): number => Math.max(criteria.gatherSeconds, (steps[0]?.afterMinutes ?? 0) * 60);

async function openAlarm(tx: Tx, rule: StoredRule, { log, code, level }: SeenEvent, now: number): Promise<Growing> {
  const openedAt = new Date(now);
  const fresh = { ruleId: rule.id, log, code, level, openedAt, waitSeconds: firstWaitOf(rule) };
  const id = await insertAlarm(tx, fresh, rule);
  const empty = { firstOccurAt: null, lastOccurAt: null, events: 0, dcuIds: [], step: 0, acknowledgedAt: null };
  return { alarm: { ...fresh, ...empty, id, lastAt: openedAt, waitSince: openedAt }, eventIds: [], dcuIds: new Set() };
}

function add({ alarm, eventIds, dcuIds }: Growing, { id, level, dcuId, occurAt }: SeenEvent, now: number): void {
  eventIds.push(id);
  if (level === 'serious') alarm.level = level;
  alarm.lastAt = new Date(now);
  alarm.firstOccurAt = new Date(Math.min(alarm.firstOccurAt?.getTime() ?? occurAt, occurAt));
  alarm.lastOccurAt = new Date(Math.max(alarm.lastOccurAt?.getTime() ?? occurAt, occurAt));
  if (dcuId !== null) dcuIds.add(dcuId);
}

/**
 * Applies rules to events: they join open alarms of their cause, or open new ones. Hours of a rule are those in which an event occurred: an
 * event of the night that a DCU delivers in the morning belongs to the night.
 */
async function applyRules(
  tx: Tx,
  rules: readonly StoredRule[],
  events: readonly SeenEvent[],
  { now, zone }: { now: number; zone: Zone },
): Promise<void> {
  const growing: Growing[] = (
    await lockOpenAlarms(
      tx,
      rules.map(({ id }) => id),
    )
  ).map((alarm) => ({ alarm, eventIds: [], dcuIds: new Set(alarm.dcuIds) }));
  for (const event of events)
    for (const rule of rules) {
      if (!matches(rule.criteria, event) || !isActive(rule.criteria, minuteOfDay(event.occurAt, zone))) continue;
      const isSame = ({ alarm }: Growing) => alarm.ruleId === rule.id && alarm.log === event.log && alarm.code === event.code;
      let known = growing.find((each) => isSame(each) && belongsTo(each, event, now));
      if (known === undefined) growing.push((known = await openAlarm(tx, rule, event, now)));
      add(known, event, now);
    }
  for (const { alarm, eventIds, dcuIds } of growing)
    if (eventIds.length > 0) await addEvents(tx, { ...alarm, dcuIds: [...dcuIds] }, eventIds);
}

/**
 * Applies the rules to the events behind the mark, and moves the mark in the same transaction. Returns whether the pass was full, so that more events may follow.
 * Two nodes at once do it one after another.
 */
export async function findAlarms({ db, settings, clock }: Tools): Promise<boolean> {
  if (!(await hasNewEvents(db))) return false;
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
    const events = stored.flatMap((event) => asSeen(now, event));
    await applyRules(tx, all, events, { now, zone: new Zone(settings.timeZone) });
    await moveMark(tx, last.id);
    return stored.length === EVENTS_AT_ONCE;
  });
}
