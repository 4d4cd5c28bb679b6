import { adviceFor, ALARM_TEXT } from '@hes/contract/alarm/texts.ts';
import { fill, joinTexts, nameText, say, type Locale, type Text } from '@hes/contract/core/text.ts';
import { dayNumberOf, dayText, Zone } from '@hes/contract/schedule/zone.ts';
import { ABNORMAL_LEVEL_TEXT } from '@hes/contract/states/anomaly.ts';
import { EVENT_LOG_TEXT, type EventLog } from '@hes/contract/states/event.ts';
import type { Context } from '#db/context.ts';
import { audienceOf } from '#features/deliveries/port.ts';
import { completenessByDay } from '#features/readings/port.ts';
import {
  countForDigest,
  findAlarmDetail,
  findPlaces,
  findReports,
  type AlarmDetail,
  type DigestCounts,
  type Place,
} from './detail-queries.ts';

/** Content of a message before it has a form, in all languages. */
export interface Content {
  title: Text;
  lines: readonly (readonly [label: Text, value: Text])[];
  /** Closing sentences. */
  notes: readonly Text[];
  facts: { level: Text; rule: string; code: string; meters: number; since: string };
  /** Whether a link acknowledges it. */
  isAlarm: boolean;
}

type Tools = Pick<Context, 'db' | 'settings' | 'clock'>;
const COMMA = { en: ', ', zh: '、' };
const NEW_LINE = nameText('\n');

const nameOf = ({ nameEn, nameZh, log, code }: AlarmDetail): Text =>
  nameEn !== null && nameZh !== null
    ? { en: nameEn, zh: nameZh }
    : fill(ALARM_TEXT.unknownCode, { code: String(code), log: log === null ? '' : EVENT_LOG_TEXT[log as EventLog] }); // as: only logs are stored

function scopeOf({ meters, dcuIds }: AlarmDetail): Text {
  if (dcuIds.length === 0) return ALARM_TEXT.headEnd;
  const dcus = fill(ALARM_TEXT.dcus, { count: dcuIds.length });
  return meters === 0 ? dcus : joinTexts([fill(ALARM_TEXT.meters, { count: meters }), dcus], COMMA);
}

function placeOf({ sn, transformer, affected, all }: Place): Text {
  const place = { sn, transformer: transformer ?? '—' };
  return affected === 0 ? fill(ALARM_TEXT.placeOfDcu, place) : fill(ALARM_TEXT.place, { ...place, affected, all });
}

/** Local time with the deviation from UTC, because the recipient may be in another zone. */
function timeOf(at: Date, zone: Zone): string {
  const minutes = -zone.deviationMinutes(at.getTime());
  const two = (value: number) => String(value).padStart(2, '0');
  return `${zone.dateTime(at.getTime())} UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

async function contentOfAlarm({ db, settings }: Tools, alarm: AlarmDetail, step: number): Promise<Content> {
  const zone = new Zone(settings.timeZone);
  const { id, log, code, level, dcuIds, meters, metersOfDcus, events, recovered, ruleName } = alarm;
  const [places, reports] = await Promise.all([findPlaces(db, id), findReports(db, id)]);
  const where = [
    ...places.map(placeOf),
    ...(dcuIds.length > places.length ? [fill(ALARM_TEXT.morePlaces, { count: dcuIds.length - places.length })] : []),
  ];
  const advice = adviceFor({ log: log ?? '', code: code ?? 0 }, metersOfDcus === 0 ? 0 : meters / metersOfDcus);
  const since = timeOf(alarm.firstOccurAt ?? alarm.openedAt, zone);
  const levelText = ABNORMAL_LEVEL_TEXT[level ?? 'warning'];
  const title = fill(ALARM_TEXT.title, { level: levelText, name: nameOf(alarm), scope: scopeOf(alarm) });
  return {
    title: step > 1 ? fill(ALARM_TEXT.again, { step, title }) : title,
    lines: [
      [ALARM_TEXT.what, nameOf(alarm)],
      [ALARM_TEXT.where, where.length === 0 ? ALARM_TEXT.headEnd : joinTexts(where, NEW_LINE)],
      [ALARM_TEXT.since, nameText(since)],
      [ALARM_TEXT.affected, joinTexts([scopeOf(alarm), fill(ALARM_TEXT.counts, { events, recovered })], NEW_LINE)],
      ...reports.map((report) => [ALARM_TEXT.report, nameText(report)] as const),
      [ALARM_TEXT.cause, advice.cause],
      [ALARM_TEXT.remedy, advice.remedy],
      [ALARM_TEXT.rule, nameText(ruleName)],
    ],
    notes: [ALARM_TEXT.acknowledge, ALARM_TEXT.further],
    facts: { level: levelText, rule: ruleName, code: `${log}:${code}`, meters, since },
    isAlarm: true,
  };
}

const percent = (got: number, expected: number): string => `${Math.floor((got / expected) * 1000) / 10} %`;

const rateOf = ({ got, expected }: { got: number; expected: number }): Text =>
  expected === 0 ? ALARM_TEXT.none : fill(ALARM_TEXT.digestOf, { rate: percent(got, expected), got, expected });

const messageCountsOf = ({ sent, partly, failed, unknown, waiting }: DigestCounts) => ({ sent, partly, failed, unknown, waiting });

/** The digest of the local day before the one it is sent on. */
async function contentOfDigest(tools: Tools, { dayText: sentOn, levelIds, ruleName }: AlarmDetail): Promise<Content> {
  const zone = new Zone(tools.settings.timeZone);
  const day = dayNumberOf(sentOn ?? dayText(zone.dayOf(tools.clock.now()))) - 1;
  const audience = audienceOf(levelIds);
  const range = { from: dayText(day), to: dayText(day) };
  const none = { got: 0, expected: 0 };
  const [[daily = none], [profile = none], counts] = await Promise.all([
    completenessByDay(tools, audience, { ...range, profile: 'daily' }),
    completenessByDay(tools, audience, { ...range, profile: 'lpa' }),
    countForDigest(tools.db, levelIds, { since: new Date(zone.startOf(day)), until: new Date(zone.startOf(day + 1)) }),
  ]);
  const all = { got: daily.got + profile.got, expected: daily.expected + profile.expected };
  const rate = all.expected === 0 ? ALARM_TEXT.none : nameText(percent(all.got, all.expected));
  const count = (value: number): Text => fill({ en: '{count}', zh: '{count}' }, { count: value });
  return {
    title: fill(ALARM_TEXT.digestTitle, { day: dayText(day), rate }),
    lines: [
      [ALARM_TEXT.digestDaily, rateOf(daily)],
      [ALARM_TEXT.digestProfile, rateOf(profile)],
      [ALARM_TEXT.digestDcus, fill(ALARM_TEXT.digestShare, { got: counts.online, expected: counts.dcus })],
      [ALARM_TEXT.digestSerious, count(counts.serious)],
      [ALARM_TEXT.digestWarnings, count(counts.warnings)],
      [ALARM_TEXT.digestUnacknowledged, count(counts.unacknowledged)],
      [ALARM_TEXT.digestAlarms, count(counts.alarms)],
      [ALARM_TEXT.digestMessages, fill(ALARM_TEXT.digestMessageCounts, messageCountsOf(counts))],
      [ALARM_TEXT.rule, nameText(ruleName)],
    ],
    notes: [],
    facts: { level: nameText(''), rule: ruleName, code: '', meters: 0, since: dayText(day) },
    isAlarm: false,
  };
}

/** The content of the messages of an alarm as it stands now. */
export async function contentOf(tools: Tools, alarmId: string, step: number): Promise<Content> {
  const alarm = await findAlarmDetail(tools.db, alarmId);
  if (alarm === undefined) throw new Error(`Alarm ${alarmId} does not exist`);
  return alarm.log === null ? contentOfDigest(tools, alarm) : contentOfAlarm(tools, alarm, step);
}

/** The content of a test message. */
export const testContent = (channel: string): Content => ({
  title: ALARM_TEXT.testTitle,
  lines: [[ALARM_TEXT.what, fill(ALARM_TEXT.testText, { channel })]],
  notes: [],
  facts: { level: nameText(''), rule: '', code: '', meters: 0, since: '' },
  isAlarm: false,
});

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
/** Control characters of names would begin further headers. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

export interface Written {
  title: string;
  text: string;
  html: string;
}

/** A content in one language, as plain text and as HTML. `link`: empty for none. */
export function write({ title, lines, notes, isAlarm }: Content, locale: Locale, link: string): Written {
  const heading = oneLine(say(title, locale));
  const rows = lines.map(([label, value]) => [say(label, locale), say(value, locale)] as const);
  const closing = notes.map((note) => say(note, locale));
  const linkText = say(isAlarm ? ALARM_TEXT.link : nameText('HES'), locale);
  const text = [
    heading,
    '',
    ...rows.map(([label, value]) => `${label}: ${value.replaceAll('\n', '\n  ')}`),
    ...(link === '' ? [] : ['', `${linkText}: ${link}`]),
    ...(closing.length === 0 ? [] : ['', ...closing]),
  ].join('\n');
  const cell = (value: string) => escapeHtml(value).replaceAll('\n', '<br>');
  const html = [
    `<div style="font-family:sans-serif;font-size:14px;color:#1f2328;max-width:640px">`,
    `<h1 style="font-size:17px">${escapeHtml(heading)}</h1><table style="border-collapse:collapse">`,
    ...rows.map(
      ([label, value]) =>
        `<tr><th style="text-align:left;vertical-align:top;padding:4px 16px 4px 0;font-weight:normal;color:#59636e">${cell(label)}</th><td style="padding:4px 0">${cell(value)}</td></tr>`,
    ),
    '</table>',
    ...(link === '' ? [] : [`<p><a href="${escapeHtml(link)}">${escapeHtml(linkText)}</a></p>`]),
    ...closing.map((note) => `<p style="color:#59636e">${escapeHtml(note)}</p>`),
    '</div>',
  ].join('');
  return { title: heading, text, html };
}
