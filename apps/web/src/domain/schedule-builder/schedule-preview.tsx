import { daysIn, weekdayOf, dayNumber } from '@hes/contract/schedule/calendar.ts';
import { SCHEDULE_FAULTS, type ScheduleVerdict } from '@hes/contract/schedule/check.ts';
import type { Schedule } from '@hes/contract/schedule/expression.ts';
import { runDays } from '@hes/contract/schedule/run-days.ts';
import { nextRuns } from '@hes/contract/schedule/runs.ts';
import { sentenceOf } from '@hes/contract/schedule/sentence.ts';
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, dateTime, localDay, useServerTime } from '#core/time/format.ts';
import { messages } from './messages.ts';
import styles from './schedule-builder.module.css';
import { useWeekdays } from './use-weekdays.ts';

const RUNS = 10;
const MINUTE_MS = 60_000;
/** The longest month has 31 days. */
const LATEST_DAY = 31;
const MINUTES_A_DAY = 1440;
const HOURS = [0, 6, 12, 18, 24];

/** Weekday numbers with narrow names, Sunday first. */
function narrowWeekdays(locale: string): [day: number, letter: string][] {
  const format = new Intl.DateTimeFormat(locale, { weekday: 'narrow', timeZone: 'UTC' });
  // 4 January 1970 was a Sunday.
  return [0, 1, 2, 3, 4, 5, 6].map((day) => [day, format.format(Date.UTC(1970, 0, 4 + day))]);
}

const dateOf = (year: number, month: number, day: number): string =>
  [year, month, day].map((part) => String(part).padStart(2, '0')).join('-');

const monthName = (locale: string, year: number, month: number): string =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(Date.UTC(year, month - 1));

/** Start of the month in `2026-11-21 13:40:10`: the current year is left out. */
/** Seconds are left out when they are zero, as in nearly all runs. */
const FULL_MINUTE = /:00$/;
const THIS_YEAR_FROM = 5;
const isThisYear = (at: number, now: number): boolean => localDay(at).slice(0, 4) === localDay(now).slice(0, 4);

/** The meaning of a schedule: description, times of day, days of two months, next runs; or the error in it. */
export function SchedulePreview({ verdict, now }: { verdict: ScheduleVerdict; now: number }) {
  const t = useMessages(messages);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  if (!verdict.ok) {
    return (
      <div className={styles['refused']} role="alert">
        <TriangleAlert size={18} aria-hidden="true" />
        <span>
          <b>{t(verdict.field)}</b>
          {say(SCHEDULE_FAULTS[verdict.fault])}
        </span>
      </div>
    );
  }
  const { schedule } = verdict;
  return (
    <>
      <p className={styles['sentence']} data-part="sentence">
        {sentenceOf(schedule, locale)}
      </p>
      <Strip schedule={schedule} />
      <Months schedule={schedule} now={now} />
      <NextRuns schedule={schedule} now={now} />
    </>
  );
}

function Strip({ schedule }: { schedule: Schedule }) {
  const t = useMessages(messages);
  const marks = useMemo(() => schedule.hours.flatMap((hour) => schedule.minutes.map((minute) => hour * 60 + minute)), [schedule]);
  return (
    <figure className={styles['strip']} aria-label={t('strip')}>
      <svg viewBox={`0 0 ${MINUTES_A_DAY} 20`} preserveAspectRatio="none" aria-hidden="true">
        <path d={marks.map((at) => `M${at} 0h4v20h-4z`).join('')} />
      </svg>
      <figcaption>
        {HOURS.map((hour) => (
          <span key={hour}>{String(hour).padStart(2, '0')}:00</span>
        ))}
      </figcaption>
    </figure>
  );
}

function Months({ schedule, now }: { schedule: Schedule; now: number }) {
  const timeZone = useServerTime((state) => state.timeZone);
  const minute = Math.floor(now / MINUTE_MS);
  const [year = 0, month = 1] = localDay(now).split('-').map(Number);
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  const lastDay = dateOf(next.year, next.month, LATEST_DAY);
  const runs = useMemo(() => runDays(schedule, minute * MINUTE_MS, timeZone, lastDay), [schedule, minute, timeZone, lastDay]);
  return (
    <div className={styles['months']}>
      <MonthOf runs={runs} year={year} month={month} today={localDay(now)} />
      <MonthOf runs={runs} {...next} today={localDay(now)} />
    </div>
  );
}

interface MonthProps {
  /** Days with a future run. */
  runs: ReadonlySet<string>;
  year: number;
  month: number;
  today: string;
}

function MonthOf({ runs, year, month, today }: MonthProps) {
  const days = daysIn({ kind: 'any' }, year, month);
  const lead = weekdayOf(dayNumber(year, month, 1)) - 1;
  const locale = usePreferences((state) => state.locale);
  const name = monthName(locale, year, month);
  return (
    <section className={styles['month']} aria-label={name}>
      <h4>{name}</h4>
      <div className={styles['days']}>
        {narrowWeekdays(locale).map(([day, letter]) => (
          <small key={day}>{letter}</small>
        ))}
        {Array.from({ length: lead }, (_, index) => (
          <span key={`lead-${index}`} />
        ))}
        {days.map((day) => {
          const date = dateOf(year, month, day);
          return (
            <span
              key={day}
              data-run={runs.has(date) || undefined}
              data-past={date < today || undefined}
              data-today={date === today || undefined}
            >
              {day}
            </span>
          );
        })}
      </div>
    </section>
  );
}

function NextRuns({ schedule, now }: { schedule: Schedule; now: number }) {
  const t = useMessages(messages);
  const weekdays = useWeekdays();
  const timeZone = useServerTime((state) => state.timeZone);
  const locale = usePreferences((state) => state.locale);
  const minute = Math.floor(now / MINUTE_MS);
  const runs = useMemo(() => nextRuns(schedule, minute * MINUTE_MS, timeZone, RUNS), [schedule, minute, timeZone]);
  return (
    <section className={styles['next']}>
      <h4>
        {t('nextRuns')} <small>{timeZone}</small>
      </h4>
      <ol>
        {runs.map((run) => {
          const [year = 0, month = 1, day = 1] = localDay(run).split('-').map(Number);
          return (
            <li key={run} data-run={new Date(run).toISOString()}>
              <span className="mono">
                {dateTime(run)
                  .slice(isThisYear(run, now) ? THIS_YEAR_FROM : 0)
                  .replace(FULL_MINUTE, '')}
              </span>
              <span>{weekdays[weekdayOf(dayNumber(year, month, day)) - 1]}</span>
              <span>{t('inAge', { age: ageOf(2 * now - run, now, locale) })}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
