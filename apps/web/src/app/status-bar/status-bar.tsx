import { dashboardCard } from '@hes/contract/dashboard/card.ts';
import { dashboard } from '@hes/contract/dashboard/summary.ts';
import { event } from '@hes/contract/event/event.ts';
import { to } from '@hes/contract/page/links.ts';
import { Clock } from 'lucide-react';
import { Link } from 'react-router';
import { useApiQuery } from '#core/api/hooks.ts';
import { useReachable } from '#core/session/reachable.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { reconnectNow, useLiveState, useTopic } from '#core/live/live.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, clockTime, dateTime, useServerTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { useNow } from '#core/time/use-now.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { JobTray } from './job-tray.tsx';
import { messages } from '#app/messages.ts';
import styles from './status-bar.module.css';

const REFRESH_MS = 60_000;

function LiveLink() {
  const t = useMessages(messages);
  const link = useLiveState((state) => state.link);
  const retryAt = useLiveState((state) => state.retryAt);
  // In whole seconds, as it is shown: messages within one second cause no render.
  const lastMessageAt = useLiveState((state) => (state.lastMessageAt === null ? null : Math.floor(state.lastMessageAt / 1000) * 1000));
  const locale = usePreferences((state) => state.locale);
  // Messages are stamped by the clock of the browser; its last tick may be older than they are.
  const now = Math.max(useNow(1000, Date.now), lastMessageAt ?? 0);
  if (link === 'open')
    return (
      <span
        className={styles['item']}
        data-link="open"
        title={lastMessageAt === null ? undefined : t('lastMessage', { time: clockTime(lastMessageAt) })}
      >
        <Glyph shape="disc" tone="ok" size={11} />
        <span>{t('live')}</span>
        {lastMessageAt === null ? null : <span className={styles['dim']}>{ageOf(lastMessageAt, now, locale)}</span>}
      </span>
    );
  if (link !== 'waiting')
    return (
      <span className={styles['item']}>
        <Glyph shape="dashed" tone="none" size={11} />
        {t(link === 'connecting' ? 'connecting' : 'noLink')}
      </span>
    );
  const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - now) / 1000));
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

/** Failures of the last 24 hours, for users who may see the details; hidden without failures. */
function Alarms() {
  const t = useMessages(messages);
  const say = useSay();
  const isAllowed = useMay()(event.list);
  const { data } = useApiQuery(dashboardCard.events, { refetchMs: REFRESH_MS, enabled: isAllowed });
  if (!data) return null;
  return (['serious', 'warning'] as const).map((level) => (
    <Link key={level} className={styles['item']} to={to.events({ level })} title={t('inOneDay')}>
      <Glyph shape={LEVEL[level].shape} tone={data[level] > 0 ? LEVEL[level].tone : 'none'} size={12} />
      {say(LEVEL[level].text)} <b data-value={data[level]}>{figure(data[level])}</b>
    </Link>
  ));
}

/** Long jobs and the state of the link, visible on every page. */
export function StatusBar() {
  const t = useMessages(messages);
  const me = useMe();
  const isAway = useReachable((state) => state.awaySince !== null);
  const summary = useApiQuery(dashboard.summary, { refetchMs: REFRESH_MS });
  useTopic('dcu');
  // Each page has lists that other users change.
  useTopic('list');
  return (
    <footer className={styles['bar']} aria-label={t('statusBar')}>
      <LiveLink />
      <JobTray jobs={summary.data?.runningTasks ?? []} />
      <span className={styles['space']} />
      <Alarms />
      {summary.data ? (
        <Link className={styles['item']} to={to.dcus({ onlineStatus: 'online' })}>
          {t(isAway ? 'dcusLastOnline' : 'dcusOnline')} <b>{figure(summary.data.dcus.byStatus.online)}</b>{' '}
          <span className={styles['dim']}>
            / {figure(summary.data.dcus.total)}
            {summary.data.dcus.byStatus.unknown > 0 ? ` · ${t('dcusUnconfirmed', { count: summary.data.dcus.byStatus.unknown })}` : null}
          </span>
        </Link>
      ) : null}
      <ServerTime />
      {me.data ? <span className={styles['item']}>v{me.data.headEndVersion}</span> : null}
    </footer>
  );
}
