import type { AlarmCriteria } from '@hes/contract/alarm/rule.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';

/** A stored event as rules see it. */
export interface SeenEvent {
  id: string;
  deviceKind: 'dcu' | 'meter' | 'head_end';
  dcuId: string | null;
  log: string;
  code: number;
  /** Epoch milliseconds. */
  occurAt: number;
  level: 'serious' | 'warning';
  message: string;
  /** Ids of the levels above the device, its own one included. */
  levelPath: readonly string[];
}

/** Minutes since midnight of a local time HH:MM. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Minutes since local midnight, as clocks on the wall show them. */
export const minuteOfDay = (at: number, zone: Zone): number => minutesOf(zone.dateTime(at).slice(11, 16));

/** Whether a minute is between two local times; the span may pass midnight. Undefined without a span. */
function isBetween(minute: number, from: string, to: string): boolean | undefined {
  if (from === '' || to === '' || from === to) return undefined;
  const [first, end] = [minutesOf(from), minutesOf(to)];
  return first < end ? minute >= first && minute < end : minute >= first || minute < end;
}

/** Whether a rule looks for events that occurred at this time of the day. */
export const isActive = ({ activeFrom, activeTo }: AlarmCriteria, minute: number): boolean =>
  isBetween(minute, activeFrom, activeTo) ?? true;

/** Whether messages of this level wait at this time of the day. */
export const isQuiet = ({ quietFrom, quietTo, quietBreaks }: AlarmCriteria, level: SeenEvent['level'] | null, minute: number): boolean =>
  (isBetween(minute, quietFrom, quietTo) ?? false) && !(level !== null && quietBreaks.includes(level));

/** Whether a rule counts an event. An event of the head-end has no area, so the area of the rule does not exclude it. */
export function matches({ sources, levels, codes, levelIds }: AlarmCriteria, event: SeenEvent): boolean {
  const source = event.deviceKind === 'head_end' ? 'head_end' : 'device';
  if (!sources.includes(source) || !levels.includes(event.level)) return false;
  if (codes.length > 0 && !codes.includes(`${event.log}:${event.code}`)) return false;
  return source === 'head_end' || levelIds.length === 0 || levelIds.some((id) => event.levelPath.includes(id));
}

/**
 * Whether the digest of the local day is due: its time has come, and the rule was in force before it. Days of changed clocks have 23 or 25
 * hours, so the time is that of the wall clock.
 */
export function isDigestDue({ digestAt }: AlarmCriteria, effectiveAt: number, now: number, zone: Zone): boolean {
  const time = zone.startOfMinute(zone.dayOf(now), minutesOf(digestAt));
  return time <= now && effectiveAt <= time;
}
