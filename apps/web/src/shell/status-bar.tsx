import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { Clock } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { reconnectNow, useLiveState, useTopic } from '#shared/live/live.ts';
import { dateTime, useServerTime } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { useNow } from '#shared/time/use-now.ts';
import { Glyph } from '#widgets/state-of/glyphs.tsx';
import { JobTray } from './job-tray.tsx';
import { messages } from './messages.ts';
import { usePublicSettings } from '#widgets/brand/public-settings.ts';
import styles from './status-bar.module.css';

const REFRESH_MS = 60_000;

function LiveLink() {
  const t = useMessages(messages);
  const { link, retryAt } = useLiveState();
  useNow();
  if (link === 'open')
    return (
      <span className={styles['item']} data-link="open">
        <Glyph shape="disc" tone="ok" size={11} />
        {t('live')}
      </span>
    );
  if (link !== 'waiting')
    return (
      <span className={styles['item']}>
        <Glyph shape="dashed" tone="none" size={11} />
        {t(link === 'connecting' ? 'connecting' : 'noLink')}
      </span>
    );
  const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
  return (
    <span className={`${styles['item']} ${styles['lost']}`} data-link="waiting">
      <Glyph shape="disc30" tone="amber" size={12} />
      {t('reconnectIn', { seconds })}
      <button type="button" className={styles['link']} onClick={reconnectNow}>
        {t('reconnectNow')}
      </button>
    </span>
  );
}

function ServerTime() {
  const t = useMessages(messages);
  const now = useNow();
  const timeZone = useServerTime((state) => state.timeZone);
  return (
    <span className={styles['item']}>
      <Clock size={12} aria-hidden="true" />
      {t('server')} {dateTime(now)} <span className={styles['dim']}>{timeZone}</span>
    </span>
  );
}

/** Long work and the state of the link stay visible from every page. */
export function StatusBar() {
  const t = useMessages(messages);
  const settings = usePublicSettings();
  const summary = useApiQuery(dashboard.summary, { refetchMs: REFRESH_MS });
  useTopic('dcu');
  return (
    <footer className={styles['bar']} aria-label={t('statusBar')}>
      <LiveLink />
      <JobTray jobs={summary.data?.runningTasks ?? []} />
      <span className={styles['space']} />
      {summary.data ? (
        <Link className={styles['item']} to="/assets/dcu?onlineStatus=online">
          {t('dcusOnline')} <b>{figure(summary.data.dcus.byStatus.online)}</b>{' '}
          <span className={styles['dim']}>/ {figure(summary.data.dcus.total)}</span>
        </Link>
      ) : null}
      <ServerTime />
      {settings.data ? <span className={styles['item']}>v{settings.data.version}</span> : null}
    </footer>
  );
}
