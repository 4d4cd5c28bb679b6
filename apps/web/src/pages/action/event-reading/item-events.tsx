import { deviceSn } from '@hes/contract/text/device-name.ts';
import { pick } from '@hes/contract/core/text.ts';
import { event } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { to } from '@hes/contract/page/links.ts';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import { DIRECTION, LEVEL } from '#domain/states/event-tables.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { texts } from './messages.ts';
import styles from './event-reading.module.css';

interface Coded {
  log: string;
  code: number;
}

/** Names of event codes in the current language, from the catalogue. */
export function useCodeNames(): (row: Coded) => string {
  const t = useMessages(texts);
  const locale = usePreferences((state) => state.locale);
  const codes = useApiQuery(event.codes, { staleMs: Infinity });
  return useMemo(() => {
    const names = new Map(
      (codes.data?.items ?? []).map((row) => [`${row.log}:${row.code}`, pick({ en: row.nameEn, zh: row.nameZh }, locale)]),
    );
    return ({ log, code }) => names.get(`${log}:${code}`) ?? t('unknownCode', { code: String(code) });
  }, [codes.data, locale, t]);
}

/** Events from the logs of the selected device, newest first; new ones are marked. */
export function ItemEvents({ item }: { item: TaskItemRow }) {
  const t = useMessages(texts);
  const say = useSay();
  const nameOf = useCodeNames();
  const read = item.result?.events;
  if (read === undefined) return null;
  return (
    <>
      {read.absent.length > 0 ? (
        <p className={styles['dim']}>{t('absent', { logs: read.absent.map((log) => say(EVENT_LOG_TEXT[log])).join(', ') })}</p>
      ) : null}
      {read.rows.length === 0 ? <p className={styles['dim']}>{t('noneFound')}</p> : null}
      <ol className={styles['events']} aria-label={t('events')}>
        {read.rows.map((row, index) => {
          const sign = row.direction === 'recover' ? DIRECTION.recover : LEVEL[row.abnormalLevel ?? 'none'];
          return (
            <li key={`${row.log}:${row.code}@${row.occurAt}#${index}`} data-known={row.isKnown} title={row.message}>
              <Glyph shape={sign.shape} tone={sign.tone} size={14} />
              <span>
                <b>{nameOf(row)}</b>
                <small>
                  {say(EVENT_LOG_TEXT[row.log])} · {row.code} · {say(DIRECTION[row.direction].text)}
                </small>
              </span>
              <span className={styles['when']}>
                {dateTime(row.occurAt)}
                <small>{t(row.isKnown ? 'isKnown' : 'isNew')}</small>
              </span>
            </li>
          );
        })}
      </ol>
      {read.found > read.rows.length ? (
        <p className={styles['dim']}>{t('shownOf', { count: read.rows.length, total: read.found })}</p>
      ) : null}
      <p className={styles['more']}>
        <Link
          to={to.events({
            node: item.meterId === null ? `dcu:${item.dcuId}` : `meter:${item.meterId}`,
            nodeName: deviceSn(item),
          })}
        >
          {t('open')}
        </Link>
      </p>
    </>
  );
}
