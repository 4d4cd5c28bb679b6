import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { singleActionSchedule } from '@hes/dlms/cosem/classes/single-action-schedule.ts';
import { civilDay } from '@hes/dlms/cosem/civil-day.ts';
import type { AttributeValue } from '@hes/dlms/cosem/cosem-class.ts';
import { dateTimeCodec, fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { MeterState } from '#devices/meter-state.ts';
import { simulate, type ObjectFactory, type SimulatedObject } from '#devices/simulate.ts';
import { dataObject } from './data.ts';
import { scriptsObject } from './script-table.ts';

const END_OF_PERIOD = 1;
const ONE_TIME_WITH_WILDCARDS = 1;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

type Times = AttributeValue<typeof singleActionSchedule, 'executionTime'>;

/** Billing periods of a meter. */
interface Periods {
  times: Times;
  count: number;
  /** By the clock of the meter, epoch milliseconds. */
  endedAt: number;
  /** End of the evaluated time: a new schedule does not end past periods. */
  followedUntil: number;
}

const FIRST_OF_MONTH: Times = [
  { time: { hour: 0, minute: 0, second: 0, hundredths: 0 }, date: { year: null, month: null, day: 1, dayOfWeek: null } },
];

const periodsOf = new WeakMap<MeterState, Periods>();

const shownBy = ({ now, aheadMs }: MeterState): number => now() + aheadMs;

/** The first scheduled period end in (followedUntil, until]; undefined if there is none. */
function nextEnd({ local }: MeterState, { times: [pattern], followedUntil }: Periods, until: number): number | undefined {
  if (pattern === undefined) return undefined;
  const { time, date } = pattern;
  for (let day = local.dayOf(followedUntil); day <= local.dayOf(until); day++) {
    const { month, day: dayOfMonth } = civilDay(day);
    if ((date.month ?? month) !== month || (date.day ?? dayOfMonth) !== dayOfMonth) continue;
    const at = local.startOf(day) + (time.hour ?? 0) * HOUR_MS + (time.minute ?? 0) * MINUTE_MS;
    if (at > followedUntil && at <= until) return at;
  }
  return undefined;
}

function end(periods: Periods, at: number): void {
  periods.count++;
  periods.endedAt = at;
  periods.followedUntil = at;
}

/** The billing periods of a meter, evaluated up to now. */
function currentPeriods(state: MeterState): Periods {
  const known = periodsOf.get(state);
  const beganAt = state.world.beganAt(state.plan);
  const periods = known ?? { times: FIRST_OF_MONTH, count: 0, endedAt: beganAt, followedUntil: beganAt };
  periodsOf.set(state, periods);
  const now = shownBy(state);
  for (let at = nextEnd(state, periods, now); at !== undefined; at = nextEnd(state, periods, now)) end(periods, at);
  periods.followedUntil = Math.max(periods.followedUntil, now);
  return periods;
}

/** Schedule of period ends. Anything but one moment is refused, as by many meters. */
export const billingSchedule = simulate(singleActionSchedule, (state: MeterState) => ({
  read: {
    executedScript: () => ({ instance: WELL_KNOWN.SCRIPTS_MDI_RESET.instance, selector: END_OF_PERIOD }),
    type: () => ONE_TIME_WITH_WILDCARDS,
    executionTime: () => currentPeriods(state).times,
  },
  write: {
    executionTime(times) {
      if (times.length !== 1) return 'otherReason';
      currentPeriods(state).times = times;
      return undefined;
    },
  },
}));

/** Script that ends the billing period immediately. */
export const billingScripts: ObjectFactory<MeterState> = (state, instance) =>
  scriptsObject(new Map([[END_OF_PERIOD, () => end(currentPeriods(state), shownBy(state))]]), instance);

export const billingCount = (state: MeterState, instance: Obis): SimulatedObject =>
  dataObject(() => ({ type: 'doubleLongUnsigned', value: currentPeriods(state).count }), instance);

export const billingAt = (state: MeterState, instance: Obis): SimulatedObject =>
  dataObject(() => {
    const { endedAt } = currentPeriods(state);
    const stamp = fromEpochMs(endedAt, state.local.deviationMinutes(endedAt), { daylightSaving: state.local.isSummer(endedAt) });
    return { type: 'octetString', value: encode(dateTimeCodec, stamp) };
  }, instance);
