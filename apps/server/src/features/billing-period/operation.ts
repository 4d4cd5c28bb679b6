import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult, ReadValue } from '@hes/contract/orders/results.ts';
import { decode } from '@hes/dlms/codec/codec.ts';
import type { AttributeValue, CosemClass } from '@hes/dlms/cosem/cosem-class.ts';
import type { singleActionSchedule } from '@hes/dlms/cosem/classes/single-action-schedule.ts';
import { numberIn, type Data } from '@hes/dlms/cosem/data-value.ts';
import { DATE_TIME_SIZE, dateTimeCodec, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { withMeter, type MeterWork } from '#field/operations/with-meter.ts';
import { type CosemObject } from '@hes/dlms/xdlms/cosem-object.ts';
import { cosemObjectOf } from '#field/cosem-object.ts';
import type { Operations, WorkItem } from '#tasks/operation.ts';

/** Script that ends the billing period, in every script table for it. @spec BB 4.5.2 (MDI reset / end of billing period) */
const END_OF_PERIOD = 1;
const ONE_TIME_WITH_WILDCARDS = 1;
/** A reset without a response has an unknown result. A billing period that ended this recently is not ended again. */
const LOCKOUT_MS = 3_600_000;

type Schedule = AttributeValue<typeof singleActionSchedule, 'executionTime'>;

interface Period {
  values: ReadValue[];
  /** Number of billing periods that the meter has closed; undefined when it does not count them. */
  count: number | undefined;
  /** End of the last period by the meter's clock, in epoch milliseconds. */
  endedAt: number | undefined;
}

const two = (part: number | null): string => (part === null ? '*' : String(part).padStart(2, '0'));

/** Formats a schedule as in a crontab, with an asterisk for each wildcard: `*-*-01 00:00`. */
const patternOf = (schedule: Schedule): string =>
  schedule
    .map(({ date, time }) => `${date.year ?? '*'}-${two(date.month)}-${two(date.day)} ${two(time.hour)}:${two(time.minute)}`)
    .join(', ');

function valueOf(item: string, { instance }: CosemObject<CosemClass>, read: Outcome<string | number>): ReadValue {
  const base = { item, obis: instance, unit: '', at: null, raw: null, scaler: null };
  return read.ok ? { ...base, value: read.value, reasonCode: null } : { ...base, value: null, reasonCode: read.reason };
}

const map = <T, R>(read: Outcome<T>, to: (value: T) => R): Outcome<R> => (read.ok ? ok(to(read.value)) : read);

/** Reads schedule, script, counter and last end. A missing object leaves its value empty and does not fail the others. */
async function readPeriod(tools: OperationTools, work: MeterWork): Promise<Outcome<Period>> {
  const { link, now } = work;
  const schedule = cosemObjectOf(work.device.objectMap, 'SCHEDULE_BILLING');
  const counter = cosemObjectOf(work.device.objectMap, 'BILLING_COUNT');
  const last = cosemObjectOf(work.device.objectMap, 'BILLING_AT');
  const times = await link.read(schedule, 'executionTime');
  const script = await link.read(schedule, 'executedScript');
  const count = await link.read(counter, 'value');
  const endedAt = await link.read(last, 'value');
  if (!times.ok && !count.ok && !endedAt.ok) return times;
  const moment = endedAt.ok ? momentIn(endedAt.value, tools.zone.deviationMinutes(now)) : undefined;
  const ended = moment === undefined && endedAt.ok ? failed('BAD_ANSWER') : map(endedAt, () => new Date(moment ?? 0).toISOString());
  return ok({
    count: count.ok ? numberIn(count.value) : undefined,
    endedAt: moment,
    values: [
      valueOf('billing_schedule', schedule, map(times, patternOf)),
      valueOf(
        'billing_script',
        schedule,
        map(script, ({ instance, selector }) => `${instance} #${selector}`),
      ),
      valueOf('billing_count', counter, map(count, numberIn)),
      valueOf('billing_at', last, ended),
    ],
  });
}

function momentIn(value: Data, deviationMinutes: number): number | undefined {
  if ((value.type !== 'dateTime' && value.type !== 'octetString') || value.value.length !== DATE_TIME_SIZE) return undefined;
  return toEpochMs(decode(dateTimeCodec, value.value), deviationMinutes) ?? undefined;
}

async function setPeriod(tools: OperationTools, work: MeterWork, { params }: WorkItem<'billing_period_set'>): Promise<Outcome<ItemResult>> {
  const { dayOfMonth: day, hour } = params;
  const object = cosemObjectOf(work.device.objectMap, 'SCHEDULE_BILLING');
  const type = await work.link.read(object, 'type');
  if (!type.ok) return type;
  // Schedules of other types hold several times, which one day and hour cannot replace.
  if (type.value !== ONE_TIME_WITH_WILDCARDS) return failed('SETTING_UNSUPPORTED', `The schedule is of type ${type.value}`);
  const wanted: Schedule = [
    {
      time: { hour, minute: 0, second: 0, hundredths: 0 },
      date: { year: null, month: null, day, dayOfWeek: null },
    },
  ];
  const written = await work.link.write(object, 'executionTime', wanted);
  if (!written.ok) return written;
  const after = await readPeriod(tools, work);
  if (!after.ok) return after;
  const [shown] = after.value.values;
  return shown?.value === patternOf(wanted)
    ? ok({ values: after.value.values })
    : failed('READ_BACK_DIFFERS', `${patternOf(wanted)} → ${shown?.value ?? '—'}`);
}

async function resetDemand(tools: OperationTools, work: MeterWork): Promise<Outcome<ItemResult>> {
  const before = await readPeriod(tools, work);
  if (!before.ok) return before;
  const clock = await work.link.read(cosemObjectOf(work.device.objectMap, 'CLOCK'), 'time');
  if (!clock.ok) return clock;
  // Both times are by the meter's clock, so its deviation does not matter.
  const meterNow = toEpochMs(clock.value, tools.zone.deviationMinutes(work.now));
  const { endedAt, count } = before.value;
  if (endedAt === undefined || count === undefined || meterNow === null)
    return failed('SETTING_UNSUPPORTED', 'The meter does not say when it ended a billing period, so that a reset cannot be confirmed');
  if (meterNow - endedAt < LOCKOUT_MS) return ok({ values: before.value.values });
  const scripts = cosemObjectOf(work.device.objectMap, 'SCRIPTS_MDI_RESET');
  const executed = await work.link.invoke(scripts, 'execute', END_OF_PERIOD);
  if (!executed.ok) return executed;
  const after = await readPeriod(tools, work);
  if (!after.ok) return after;
  return after.value.count !== count
    ? ok({ values: after.value.values })
    : failed('READ_BACK_DIFFERS', `${count} → ${after.value.count ?? '—'}`);
}

/** Operations that read and set the end of billing periods, and end a period now. */
export const billingPeriodOperations = (
  tools: OperationTools,
): Pick<Operations, 'billing_period_read' | 'billing_period_set' | 'demand_reset'> => ({
  billing_period_read: (item) => withMeter(tools, item, async (work) => map(await readPeriod(tools, work), ({ values }) => ({ values }))),
  billing_period_set: (item) => withMeter(tools, item, (work) => setPeriod(tools, work, item)),
  demand_reset: (item) => withMeter(tools, item, (work) => resetDemand(tools, work)),
});
