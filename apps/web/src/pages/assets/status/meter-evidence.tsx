import { reasonText } from '@hes/contract/core/outcome.ts';
import { pick } from '@hes/contract/core/text.ts';
import { NOT_TRIED_TEXT } from '@hes/contract/states/reading.ts';
import { STATUS_DAYS, type AttemptRow, type GapFact, type MeterFacts, type StatusEvent } from '@hes/contract/status/meter-status.ts';
import { runItemStateOf, wordsOf } from '@hes/contract/task/words.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { itemSign } from '#domain/states/tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { Rows } from './rows.tsx';

const STAMP = '9.5em';
/** `11-28 16:40`: the year is that of the page. */
export const shortTime = (at: string): string => dateTime(at).slice(5, 16);

/** The text for a stored reason with the words of the device; a dash without one. */
export function useReasonOf(): (code: string | null, text?: string | null) => string {
  const say = useSay();
  return (code, text) => {
    const known = reasonText(code);
    return [known === undefined ? code : say(known), text].filter(Boolean).join(': ') || '—';
  };
}

/** The last attempts with their reasons. */
export function Attempts({ rows }: { rows: AttemptRow[] | null }) {
  const t = useMessages(texts);
  const say = useSay();
  const reasonOf = useReasonOf();
  return (
    <Rows
      title={t('attempts')}
      rows={rows}
      empty={t('noAttempts', { days: STATUS_DAYS })}
      rowKey={({ at, taskId }) => `${at}/${taskId}`}
      columns={[
        { title: t('time'), width: STAMP, cell: ({ at }) => shortTime(at) },
        { title: t('order'), width: '28%', cell: ({ kind }) => say(wordsOf({ kind }).name) },
        { title: t('result'), width: '20%', cell: (row) => <StateOf sign={itemSign(row, runItemStateOf(row))} /> },
        { title: t('reason'), cell: ({ reasonCode, reasonText: text }) => reasonOf(reasonCode, text) },
      ]}
    />
  );
}

/** Missing readings, each with the reason of the last attempt. */
export function Gaps({ rows }: { rows: GapFact[] | null }) {
  const t = useMessages(texts);
  const say = useSay();
  const reasonOf = useReasonOf();
  return (
    <Rows
      title={t('gaps')}
      rows={rows}
      empty={t('noGaps', { days: STATUS_DAYS })}
      rowKey={({ id }) => id}
      columns={[
        { title: t('dayOf'), width: '7.5em', cell: ({ day }) => day },
        { title: t('data'), width: '22%', cell: ({ profile }) => say(wordsOf({ kind: profile }).name) },
        { title: t('count'), width: '5em', cell: ({ missing }) => missing },
        { title: t('reason'), cell: (gap) => (gap.reasonCode === null ? say(NOT_TRIED_TEXT) : reasonOf(gap.reasonCode)) },
        { title: t('nextTry'), width: STAMP, cell: ({ state, nextTryAt }) => (state === 'lost' ? t('lost') : shortTime(nextTryAt)) },
      ]}
    />
  );
}

/** The name of an event code; a code without a name shows its log and number. */
export function useEventName(): (row: Pick<StatusEvent, 'nameEn' | 'nameZh'> & { label: string }) => string {
  const locale = usePreferences((state) => state.locale);
  return ({ nameEn, nameZh, label }) => pick({ en: nameEn, zh: nameZh }, locale) ?? label;
}

export function Events({ rows }: { rows: MeterFacts['events'] }) {
  const t = useMessages(texts);
  const nameOf = useEventName();
  return (
    <Rows
      title={t('events')}
      rows={rows}
      empty={t('noEvents', { days: STATUS_DAYS })}
      rowKey={({ id }) => id}
      columns={[
        { title: t('time'), width: STAMP, cell: ({ at }) => shortTime(at) },
        { title: t('status'), width: '22%', cell: ({ level }) => <StateOf sign={LEVEL[level ?? 'none']} /> },
        { title: t('kind_event'), cell: (row) => nameOf({ ...row, label: `${row.log} ${row.code}` }) },
        {
          title: t('result'),
          width: '30%',
          cell: ({ recoveredAt }) => (recoveredAt === null ? t('open') : t('recoveredAt', { at: shortTime(recoveredAt) })),
        },
      ]}
    />
  );
}
