import { nameText } from '@hes/contract/core/text.ts';
import { reading, type CorrectionRow } from '@hes/contract/reading/reading.ts';
import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, localDay } from '#core/time/format.ts';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { texts } from './columns.tsx';
import { isDaily, ITEMS, type Kind, type Row } from './data-kinds.ts';
import styles from './reading.module.css';

const dayOf = (row: Row): string => (isDaily(row) ? row.freezeDate : localDay(row.ts));
const isOf = (row: Row, { ts }: CorrectionRow): boolean => (isDaily(row) ? localDay(ts) === row.freezeDate : ts === row.ts);

const itemOf = (kind: Kind, name: string) => ITEMS[kind].find(({ key }) => key === name);

/** A value as in its column, with its unit; a status word in hex. */
function shown(kind: Kind, name: CorrectionRow['value'], value: number): string {
  if (name === 'statusWord') return `0x${value.toString(16).toUpperCase().padStart(4, '0')}`;
  const item = itemOf(kind, name);
  return `${value.toFixed(item?.decimals ?? 3)} ${item?.unit ?? ''}`.trim();
}

/** The previous values of a corrected row; renders nothing without corrections. */
export function Corrections({ kind, row }: { kind: Kind; row: Row }) {
  const t = useMessages(texts);
  const say = useSay();
  const labelOf = (name: CorrectionRow['value']) =>
    name === 'statusWord' ? t('statusWord') : say(itemOf(kind, name)?.label ?? nameText(name));
  const day = dayOf(row);
  const query = useApiQuery(reading.corrections, { params: { meterId: row.meterId }, query: { from: day, to: day, profile: kind } });
  const found = query.data?.items.filter((correction) => isOf(row, correction)) ?? [];
  if (query.isError) return <PaneSection title={t('corrections')}>{t('correctionsFailed')}</PaneSection>;
  if (found.length === 0) return null;
  return (
    <PaneSection title={t('corrections')} note={String(found.length)}>
      <ul className={styles['corrections']}>
        {found.map((one) => (
          <li key={`${one.value} ${one.replacedAt} ${one.former}`}>
            <b>{labelOf(one.value)}</b>{' '}
            <span>
              {t('formerly', {
                value: shown(kind, one.value, one.former),
                source: t(`source_${one.formerSource}`),
                at: dateTime(one.formerReadAt),
              })}
            </span>{' '}
            <span>{t('replaced', { value: shown(kind, one.value, one.present), at: dateTime(one.replacedAt) })}</span>
            {one.taskId === null ? null : (
              <>
                {' '}
                <Link to={to.onDemandReading({ task: one.taskId })}>{t('correctedBy', { id: one.taskId })}</Link>
              </>
            )}
          </li>
        ))}
      </ul>
    </PaneSection>
  );
}
