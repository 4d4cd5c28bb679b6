import type { Text } from '../core/text.ts';
import { FIRST_YEAR, LAST_YEAR, type DayRule, type Schedule } from './expression.ts';

const WEEKDAYS: readonly Text[] = [
  { en: 'Sun', zh: '周日' },
  { en: 'Mon', zh: '周一' },
  { en: 'Tue', zh: '周二' },
  { en: 'Wed', zh: '周三' },
  { en: 'Thu', zh: '周四' },
  { en: 'Fri', zh: '周五' },
  { en: 'Sat', zh: '周六' },
];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
/** Up to this number, times of a day are listed one by one; more are described by hours and minutes. */
const MOST_TIMES = 12;

const weekday = (number: number): Text => WEEKDAYS[number - 1] ?? { en: '?', zh: '?' };
const two = (value: number): string => String(value).padStart(2, '0');

/** Lists numbers as `1, 2, 5–9`; three or more consecutive ones become a range. */
function compact(values: readonly number[], show: (value: number) => string = String, separator = ', '): string {
  const parts: string[] = [];
  for (let index = 0; index < values.length;) {
    let end = index;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    if (end - index >= 2) parts.push(`${show(values[index] ?? 0)}–${show(values[end] ?? 0)}`);
    else for (let k = index; k <= end; k++) parts.push(show(values[k] ?? 0));
    index = end + 1;
  }
  return parts.join(separator);
}

/** Step of at least three evenly spaced values that reach the end of their field; otherwise undefined. */
function stepOf(values: readonly number[], size: number): number | undefined {
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isEven = values.length >= 3 && step > 1 && values.every((value, index) => value === first + index * step);
  return isEven && (values.at(-1) ?? 0) + step >= size ? step : undefined;
}

/** Describes one unit of time: `every minute`, `every 15 min from 5`, `at minute 5, 20`. */
function unitOf(values: readonly number[], size: number, name: Text, plural: Text): Text {
  if (values.length === size) return { en: `every ${name.en}`, zh: `每${name.zh}` };
  const step = stepOf(values, size);
  const [first = 0] = values;
  if (step !== undefined) {
    return {
      en: `every ${step} ${plural.en}${first === 0 ? '' : ` from ${first}`}`,
      zh: `${first === 0 ? '' : `从第${first}${name.zh}起`}每${step}${plural.zh}`,
    };
  }
  return { en: `at ${name.en} ${compact(values)}`, zh: `第${compact(values, String, '、')}${name.zh}` };
}

function timeOf({ hours, minutes, seconds }: Schedule): Text {
  const isOneSecond = seconds.length === 1;
  if (isOneSecond && hours.length * minutes.length <= MOST_TIMES && (hours.length <= 4 || stepOf(hours, 24) === undefined)) {
    const tail = seconds[0] === 0 ? '' : `:${two(seconds[0] ?? 0)}`;
    const times = hours.flatMap((hour) => minutes.map((minute) => `${two(hour)}:${two(minute)}${tail}`));
    return { en: `at ${times.join(', ')}`, zh: times.join('、') };
  }
  const parts: Text[] = [];
  if (!(isOneSecond && seconds[0] === 0)) parts.push(unitOf(seconds, 60, { en: 'second', zh: '秒' }, { en: 's', zh: '秒' }));
  if (!(parts.length > 0 && minutes.length === 60)) parts.push(unitOf(minutes, 60, { en: 'minute', zh: '分' }, { en: 'min', zh: '分钟' }));
  if (hours.length === 24 && parts.at(-1)?.en.startsWith('at ') === true) parts.push({ en: 'every hour', zh: '每小时' });
  if (hours.length < 24) {
    const step = stepOf(hours, 24);
    const [first = 0] = hours;
    parts.push(
      step === undefined
        ? {
            en: `in the hours ${compact(hours)}`,
            zh: `${compact(hours, String, '、')}时`,
          }
        : {
            en: `every ${step} hours${first === 0 ? '' : ` from ${two(first)}:00`}`,
            zh: `${first === 0 ? '' : `从${first}时起`}每${step}小时`,
          },
    );
  }
  return {
    en: parts.map((part) => part.en).join(', '),
    zh: parts
      .toReversed()
      .map((part) => part.zh)
      .join('的'),
  };
}

function dayOf(rule: DayRule): Text {
  switch (rule.kind) {
    case 'any':
      return { en: 'every day', zh: '每天' };
    case 'days':
      return { en: `on day ${compact(rule.days)} of the month`, zh: `每月${compact(rule.days, String, '、')}日` };
    case 'weekdays':
      return rule.weekdays.length === WEEKDAYS.length
        ? { en: 'every day', zh: '每天' }
        : {
            en: `on ${rule.weekdays.map((day) => weekday(day).en).join(', ')}`,
            zh: `每${rule.weekdays.map((day) => weekday(day).zh).join('、')}`,
          };
    case 'beforeEnd':
      return rule.days === 0
        ? { en: 'on the last day of the month', zh: '每月最后一天' }
        : { en: `${rule.days} days before the last day of the month`, zh: `每月最后一天的前${rule.days}天` };
    case 'lastWorkday':
      return { en: 'on the last weekday (Mon–Fri) of the month', zh: '每月最后一个工作日' };
    case 'nearestWorkday':
      return { en: `on the weekday (Mon–Fri) nearest to day ${rule.day} of the month`, zh: `离每月${rule.day}日最近的工作日` };
    case 'lastWeekday':
      return { en: `on the last ${weekday(rule.weekday).en} of the month`, zh: `每月最后一个${weekday(rule.weekday).zh}` };
    case 'nthWeekday':
      return {
        en: `on the ${ORDINALS[rule.nth - 1] ?? rule.nth} ${weekday(rule.weekday).en} of the month`,
        zh: `每月第${rule.nth}个${weekday(rule.weekday).zh}`,
      };
  }
}

function monthOf(months: readonly number[]): Text | undefined {
  if (months.length === 12) return undefined;
  return { en: `in ${compact(months, (month) => MONTHS[month - 1] ?? '')}`, zh: `${compact(months, String, '、')}月` };
}

function yearOf(years: readonly number[], size: number): Text | undefined {
  if (years.length === size) return undefined;
  const [first = 0, second = 0] = years;
  const step = second - first;
  const goesOn = years.length > 3 && step > 1 && years.every((year, index) => year === first + index * step);
  if (goesOn) return { en: `every ${step} years from ${first}`, zh: `从${first}年起每${step}年` };
  return { en: `in ${compact(years)}`, zh: `${compact(years, String, '、')}年` };
}

const ALL_YEARS = LAST_YEAR - FIRST_YEAR + 1;

/** Describes a schedule in words, by which an operator checks it. */
export function sentenceOf(schedule: Schedule): Text {
  const time = timeOf(schedule);
  const day = dayOf(schedule.day);
  const month = monthOf(schedule.months);
  const year = yearOf(schedule.years, ALL_YEARS);
  const isEveryDay = day.en === 'every day' && schedule.hours.length === 24;
  const en = [...(isEveryDay ? [] : [day.en]), month?.en, year?.en, time.en].filter((part) => part !== undefined).join(', ');
  const zh = `${year?.zh ?? ''}${month?.zh ?? ''}${isEveryDay ? '' : day.zh} ${time.zh}`.trim();
  return { en: en.charAt(0).toUpperCase() + en.slice(1), zh };
}
