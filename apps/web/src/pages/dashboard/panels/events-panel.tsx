import { pick } from '@hes/contract/core/text.ts';
import { offsetHeading } from '@hes/contract/core/unit.ts';
import { to } from '@hes/contract/page/links.ts';
import { useState } from 'react';
import { Link } from 'react-router';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { timeCells } from '#kit/table/sheet.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { clockTime, dateTime } from '#core/time/format.ts';
import { figure, grouped } from '#core/time/number.ts';
import { Segments } from '#kit/plain/segments.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { Card } from '#pages/dashboard/card.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { useCard, useChoice, type CardData } from '#pages/dashboard/use-cards.ts';
import styles from '#pages/dashboard/cards.module.css';
import rail from './rail.module.css';

type Level = 'all' | 'serious' | 'warning';

/** The event list behind a number. */
export function eventsOf(date: string | undefined, level?: Exclude<Level, 'all'>): string {
  return to.events({ from: date, to: date, level });
}

/** The ten latest abnormal events with links to their details. */
export function EventsPanel() {
  const t = useMessages(texts);
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  const query = useCard('events');
  const [{ date }] = useChoice();
  const [level, setLevel] = useState<Level>('all');
  const nameOf = (row: CardData<'events'>['latest'][number]) =>
    pick({ en: row.nameEn, zh: row.nameZh }, locale) ?? t('codeNumber', { code: row.code });
  const { data } = query;
  return (
    <Card
      title={t('events')}
      note={date ?? t('last24h')}
      className={rail['grow']}
      csv={
        data &&
        (() => [
          [t('time'), offsetHeading(t('time'), locale), t('level'), t('event'), t('sn'), t('transformers')],
          ...data.latest.map((row) => [...timeCells(row.occurAt), say(LEVEL[row.level].text), nameOf(row), row.sn, row.transformerName]),
        ])
      }
      extra={
        <Segments<Level>
          label={t('level')}
          value={level}
          onChange={setLevel}
          options={[
            { value: 'all', label: t('all') },
            ...(['serious', 'warning'] as const).map((value) => ({ value, label: say(LEVEL[value].text) })),
          ]}
        />
      }
    >
      <PanelState query={query} lines={6}>
        {({ latest, serious, warning }) => {
          const shown = latest.filter((row) => level === 'all' || row.level === level);
          const total = level === 'all' ? serious + warning : level === 'serious' ? serious : warning;
          return (
            <>
              {shown.length === 0 ? (
                <Empty kind="fine" text={t('noEvents')} />
              ) : (
                <ul className={styles['events']}>
                  {shown.map((row) => (
                    <li key={row.id}>
                      <Link to={to.events({ sel: row.id })}>
                        <Glyph shape={LEVEL[row.level].shape} tone={LEVEL[row.level].tone} size={15} />
                        <strong>{nameOf(row)}</strong>
                        <time dateTime={row.occurAt} title={dateTime(row.occurAt)}>
                          {clockTime(row.occurAt)}
                        </time>
                        <small>
                          <span className="mono">{grouped(row.sn)}</span>
                          {row.transformerName ? ` · ${row.transformerName}` : ''}
                        </small>
                      </Link>
                    </li>
                  ))}
                </ul>
              )}
              <div className={styles['foot']}>
                <span data-value={total}>{total > 0 ? t('shownOf', { shown: shown.length, total: figure(total) }) : null}</span>
                <Link to={eventsOf(date, level === 'all' ? undefined : level)}>{t('openEvents')}</Link>
              </div>
            </>
          );
        }}
      </PanelState>
    </Card>
  );
}

/** Abnormal events per hour of the day. */
export function EventHours({ hours }: { hours: CardData<'events'>['hours'] }) {
  const most = Math.max(1, ...hours.map(({ serious, warning }) => serious + warning));
  return (
    <span className={styles['hours']} aria-hidden="true">
      {hours.map(({ at, serious, warning }) => (
        <span key={at} data-none={serious + warning === 0} title={`${dateTime(at).slice(0, 16)} ${serious} / ${warning}`}>
          <i className={styles['serious']} style={{ height: `${(serious / most) * 100}%` }} />
          <i className={styles['warning']} style={{ height: `${(warning / most) * 100}%` }} />
        </span>
      ))}
    </span>
  );
}
