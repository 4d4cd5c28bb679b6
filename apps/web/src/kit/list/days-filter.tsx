import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import { DatePicker } from 'antd';
import dayjs from 'dayjs';
import type { Text } from '@hes/contract/core/text.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { addDays, daysBetween, startOfDay } from '#core/time/format.ts';
import type { Filter, FilterProps, UrlWords } from './filters.tsx';

const FORMAT = 'YYYY-MM-DD';
const WIDTH = 240;

const daysIn = ({ from, to }: UrlWords) => (from && to ? { from, to } : undefined);
const isTooLong = (days: ReturnType<typeof daysIn>): boolean => days !== undefined && daysBetween(days.from, days.to) > MAX_RANGE_DAYS;

type DaysFilter = Filter<{ from?: string; to?: string }>;

/** A filter by whole days in the utility's zone, for routes that take the first and the last day. The address has both. */
export const daysFilter = (label: Text): DaysFilter => ({
  keys: ['from', 'to'],
  toQuery: (url) => daysIn(url) ?? {},
  fault: (url) => (isTooLong(daysIn(url)) ? common.rangeTooLong : undefined),
  Control: function Days({ url, onChange }: FilterProps) {
    const say = useSay();
    const days = daysIn(url);
    return (
      <DatePicker.RangePicker
        style={{ width: WIDTH }}
        aria-label={say(label)}
        value={days ? [dayjs(days.from), dayjs(days.to)] : null}
        {...(isTooLong(days) ? { status: 'error' as const } : {})}
        onChange={(chosen) => onChange({ from: chosen?.[0]?.format(FORMAT), to: chosen?.[1]?.format(FORMAT) })}
      />
    );
  },
});

/** The same for routes that take the instants at which the days begin and end. */
export const instantsFilter = (label: Text): DaysFilter => ({
  ...daysFilter(label),
  toQuery: (url) => {
    const days = daysIn(url);
    return days ? { from: startOfDay(days.from), to: startOfDay(addDays(days.to, 1)) } : {};
  },
});
