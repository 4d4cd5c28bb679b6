import { DAY_MS, dayStart, localDay } from './calendar.ts';
import type { MeterPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';

export type EventLog = 'standard' | 'fraud' | 'quality';

export interface MeterEvent {
  at: number;
  /** Event numbers of IDIS and DSMR; see the events section of the protocol reference. */
  code: number;
}

export const EVENT_CODES = {
  powerDown: 1,
  powerUp: 2,
  clockAdjustedFrom: 4,
  clockAdjustedTo: 5,
  terminalCoverRemoved: 40,
  terminalCoverClosed: 41,
  underVoltageL1: 77,
  voltageNormalL1: 83,
} as const;

/** A transformer loses power about once a month, for 5 to 40 seconds. */
const OUTAGES_PER_DAY = 0.03;
const CLOCK_ADJUSTMENTS_PER_DAY = 1 / 30;
const TAMPER_EVERY_DAYS = 23;
const SAGS_PER_DAY = 0.05;

/** Events that a meter logged in [fromMs, toMs], oldest first. Deterministic for any period in the past. */
export function eventsOf(seed: number, meter: MeterPlan, log: EventLog, fromMs: number, toMs: number): MeterEvent[] {
  const events: MeterEvent[] = [];
  for (let day = localDay(fromMs); day <= localDay(toMs); day++) {
    for (const event of dayOf(seed, meter, log, day)) if (event.at >= fromMs && event.at <= toMs) events.push(event);
  }
  return events.toSorted((a, b) => a.at - b.at);
}

/** An instant between two shares of the day, in whole seconds. */
function moment(day: number, chance: number, fromShare: number, toShare: number): number {
  return dayStart(day) + Math.floor(((fromShare + (toShare - fromShare) * chance) * DAY_MS) / 1000) * 1000;
}

function dayOf(seed: number, meter: MeterPlan, log: EventLog, day: number): MeterEvent[] {
  if (log === 'standard') return [...outage(seed, meter, day), ...clockAdjustment(seed, meter, day)];
  return log === 'fraud' ? tamper(meter, day) : sag(seed, meter, day);
}

function outage(seed: number, meter: MeterPlan, day: number): MeterEvent[] {
  // Drawn per transformer: all its meters lose and regain power together.
  const stream = streamOf(seed, 'outage') ^ meter.transformer.index;
  if (unitAt(stream, day) >= OUTAGES_PER_DAY) return [];
  const down = moment(day, unitAt(stream, day, 1), 0, 0.99);
  const seconds = 5 + Math.floor(unitAt(stream, day, 2) * 36);
  return [
    { at: down, code: EVENT_CODES.powerDown },
    { at: down + seconds * 1000, code: EVENT_CODES.powerUp },
  ];
}

function clockAdjustment(seed: number, meter: MeterPlan, day: number): MeterEvent[] {
  const stream = streamOf(seed, 'clock') ^ meter.index;
  if (unitAt(stream, day) >= CLOCK_ADJUSTMENTS_PER_DAY) return [];
  const at = moment(day, unitAt(stream, day, 1), 3 / 24, 4 / 24);
  return [
    { at, code: EVENT_CODES.clockAdjustedFrom },
    { at: at + (1 + Math.floor(unitAt(stream, day, 2) * 20)) * 1000, code: EVENT_CODES.clockAdjustedTo },
  ];
}

function tamper(meter: MeterPlan, day: number): MeterEvent[] {
  if (!meter.isTampered || day % TAMPER_EVERY_DAYS !== meter.index % TAMPER_EVERY_DAYS) return [];
  const at = moment(day, (meter.index % 60) / 60, 22 / 24, 23.5 / 24);
  return [
    { at, code: EVENT_CODES.terminalCoverRemoved },
    { at: at + 6 * 60_000, code: EVENT_CODES.terminalCoverClosed },
  ];
}

/** Far from the transformer, the evening peak sometimes pulls the voltage down. */
function sag(seed: number, meter: MeterPlan, day: number): MeterEvent[] {
  const stream = streamOf(seed, 'sag') ^ meter.index;
  if (meter.distance < 0.85 || unitAt(stream, day) >= SAGS_PER_DAY) return [];
  const at = moment(day, unitAt(stream, day, 1), 18.5 / 24, 20.5 / 24);
  return [
    { at, code: EVENT_CODES.underVoltageL1 },
    { at: at + (4 + Math.floor(unitAt(stream, day, 2) * 20)) * 60_000, code: EVENT_CODES.voltageNormalL1 },
  ];
}
