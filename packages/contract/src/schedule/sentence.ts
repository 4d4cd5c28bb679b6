import { byPlace, fill, joinTexts, nameText, say, type Locale, type Text, type TextParams } from '../core/text.ts';
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
/** Chinese counts the months. */
const MONTHS: readonly Text[] = [
  { en: 'Jan', zh: '1' },
  { en: 'Feb', zh: '2' },
  { en: 'Mar', zh: '3' },
  { en: 'Apr', zh: '4' },
  { en: 'May', zh: '5' },
  { en: 'Jun', zh: '6' },
  { en: 'Jul', zh: '7' },
  { en: 'Aug', zh: '8' },
  { en: 'Sep', zh: '9' },
  { en: 'Oct', zh: '10' },
  { en: 'Nov', zh: '11' },
  { en: 'Dec', zh: '12' },
];
const ON_NTH: readonly Text[] = [
  { en: 'on the first {weekday} of the month', zh: '每月第1个{weekday}' },
  { en: 'on the second {weekday} of the month', zh: '每月第2个{weekday}' },
  { en: 'on the third {weekday} of the month', zh: '每月第3个{weekday}' },
  { en: 'on the fourth {weekday} of the month', zh: '每月第4个{weekday}' },
  { en: 'on the fifth {weekday} of the month', zh: '每月第5个{weekday}' },
];
const EVERY_DAY: Text = { en: 'every day', zh: '每天' };
const LIST: Text = { en: ', ', zh: '、' };
const RANGE: Text = nameText('{from}–{to}');
/** Up to this number, times of a day are listed one by one; more are described by hours and minutes. */
const MOST_TIMES = 12;

const weekdayText = (number: number): Text => WEEKDAYS[number - 1] ?? nameText('?');
const two = (value: number): string => String(value).padStart(2, '0');
const numberText = (value: number): Text => nameText(String(value));

/** Lists numbers as `1, 2, 5–9`; three or more consecutive ones become a range. */
function compact(values: readonly number[], show: (value: number) => Text = numberText): Text {
  const parts: Text[] = [];
  for (let index = 0; index < values.length;) {
    let end = index;
    while (values[end + 1] === (values[end] ?? 0) + 1) end++;
    if (end - index >= 2) parts.push(fill(RANGE, { from: show(values[index] ?? 0), to: show(values[end] ?? 0) }));
    else for (let k = index; k <= end; k++) parts.push(show(values[k] ?? 0));
    index = end + 1;
  }
  return joinTexts(parts, LIST);
}

/** Step of at least three evenly spaced values that reach the end of their field; otherwise undefined. */
function stepOf(values: readonly number[], size: number): number | undefined {
  const [first = 0, second = 0] = values;
  const step = second - first;
  const isEven = values.length >= 3 && step > 1 && values.every((value, index) => value === first + index * step);
  return isEven && (values.at(-1) ?? 0) + step >= size ? step : undefined;
}

/** The sentences for one unit of time, such as minutes. */
interface UnitTexts {
  all: Text;
  steps: Text;
  stepsFrom: Text;
  some: Text;
}
const SECONDS: UnitTexts = {
  all: { en: 'every second', zh: '每秒' },
  steps: { en: 'every {step} s', zh: '每{step}秒' },
  stepsFrom: { en: 'every {step} s from {first}', zh: '从第{first}秒起每{step}秒' },
  some: { en: 'at second {values}', zh: '第{values}秒' },
};
const MINUTES: UnitTexts = {
  all: { en: 'every minute', zh: '每分' },
  steps: { en: 'every {step} min', zh: '每{step}分钟' },
  stepsFrom: { en: 'every {step} min from {first}', zh: '从第{first}分起每{step}分钟' },
  some: { en: 'at minute {values}', zh: '第{values}分' },
};
const SIXTY = 60;

/** Describes one unit of time: `every minute`, `every 15 min from 5`, `at minute 5, 20`. */
function unitOf(values: readonly number[], texts: UnitTexts): Text {
  if (values.length === SIXTY) return texts.all;
  const step = stepOf(values, SIXTY);
  const [first = 0] = values;
  if (step === undefined) return fill(texts.some, { values: compact(values) });
  return first === 0 ? fill(texts.steps, { step }) : fill(texts.stepsFrom, { step, first });
}

function hoursOf(hours: readonly number[]): Text {
  const step = stepOf(hours, 24);
  const [first = 0] = hours;
  if (step === undefined) return fill({ en: 'in the hours {hours}', zh: '{hours}时' }, { hours: compact(hours) });
  if (first === 0) return fill({ en: 'every {step} hours', zh: '每{step}小时' }, { step });
  return fill(
    { en: 'every {step} hours from {first}:00', zh: '从{first}时起每{step}小时' },
    { step, first: { en: two(first), zh: String(first) } },
  );
}

function timeOf({ hours, minutes, seconds }: Schedule): Text {
  const isOneSecond = seconds.length === 1;
  if (isOneSecond && hours.length * minutes.length <= MOST_TIMES && (hours.length <= 4 || stepOf(hours, 24) === undefined)) {
    const tail = seconds[0] === 0 ? '' : `:${two(seconds[0] ?? 0)}`;
    const times = hours.flatMap((hour) => minutes.map((minute) => nameText(`${two(hour)}:${two(minute)}${tail}`)));
    return fill({ en: 'at {times}', zh: '{times}' }, { times: joinTexts(times, LIST) });
  }
  const parts: Text[] = [];
  if (!(isOneSecond && seconds[0] === 0)) parts.push(unitOf(seconds, SECONDS));
  if (!(parts.length > 0 && minutes.length === SIXTY)) parts.push(unitOf(minutes, MINUTES));
  if (hours.length === 24 && parts.at(-1)?.en.startsWith('at ') === true) parts.push({ en: 'every hour', zh: '每小时' });
  if (hours.length < 24) parts.push(hoursOf(hours));
  const places = parts.map((_, index) => `{${index}}`);
  return { en: places.join(', '), zh: places.toReversed().join('的'), params: byPlace(parts) };
}

function dayOf(rule: DayRule): Text {
  switch (rule.kind) {
    case 'any':
      return EVERY_DAY;
    case 'days':
      return fill({ en: 'on day {days} of the month', zh: '每月{days}日' }, { days: compact(rule.days) });
    case 'weekdays':
      return rule.weekdays.length === WEEKDAYS.length
        ? EVERY_DAY
        : fill({ en: 'on {weekdays}', zh: '每{weekdays}' }, { weekdays: joinTexts(rule.weekdays.map(weekdayText), LIST) });
    case 'beforeEnd':
      return rule.days === 0
        ? { en: 'on the last day of the month', zh: '每月最后一天' }
        : fill({ en: '{days} days before the last day of the month', zh: '每月最后一天的前{days}天' }, { days: rule.days });
    case 'lastWorkday':
      return { en: 'on the last weekday (Mon–Fri) of the month', zh: '每月最后一个工作日' };
    case 'nearestWorkday':
      return fill({ en: 'on the weekday (Mon–Fri) nearest to day {day} of the month', zh: '离每月{day}日最近的工作日' }, { day: rule.day });
    case 'lastWeekday':
      return fill({ en: 'on the last {weekday} of the month', zh: '每月最后一个{weekday}' }, { weekday: weekdayText(rule.weekday) });
    case 'nthWeekday':
      return fill(ON_NTH[rule.nth - 1] ?? nameText('?'), { weekday: weekdayText(rule.weekday) });
  }
}

function monthOf(months: readonly number[]): Text | undefined {
  if (months.length === 12) return undefined;
  return fill({ en: 'in {months}', zh: '{months}月' }, { months: compact(months, (month) => MONTHS[month - 1] ?? nameText('?')) });
}

function yearOf(years: readonly number[], size: number): Text | undefined {
  if (years.length === size) return undefined;
  const [first = 0, second = 0] = years;
  const step = second - first;
  const goesOn = years.length > 3 && step > 1 && years.every((year, index) => year === first + index * step);
  if (goesOn) return fill({ en: 'every {step} years from {first}', zh: '从{first}年起每{step}年' }, { step, first: String(first) });
  return fill({ en: 'in {years}', zh: '{years}年' }, { years: compact(years) });
}

const ALL_YEARS = LAST_YEAR - FIRST_YEAR + 1;

/** Describes a schedule in words, by which an operator checks it. */
export function sentenceOf(schedule: Schedule, locale: Locale): string {
  const day = dayOf(schedule.day);
  const params: Record<string, Text> = { time: timeOf(schedule) };
  if (!(day === EVERY_DAY && schedule.hours.length === 24)) params['day'] = day;
  const month = monthOf(schedule.months);
  if (month !== undefined) params['month'] = month;
  const year = yearOf(schedule.years, ALL_YEARS);
  if (year !== undefined) params['year'] = year;
  return capitalised(say(arranged(params), locale), locale);
}

/** English goes from the day to the time; Chinese begins with the year and keeps the time apart. */
function arranged(params: TextParams): Text {
  const place = (name: string): string => (name in params ? `{${name}}` : '');
  return {
    en: ['day', 'month', 'year', 'time']
      .map(place)
      .filter((part) => part !== '')
      .join(', '),
    zh: `${place('year')}${place('month')}${place('day')} {time}`.trim(),
    params,
  };
}

const capitalised = (sentence: string, locale: Locale): string => sentence.charAt(0).toLocaleUpperCase(locale) + sentence.slice(1);
