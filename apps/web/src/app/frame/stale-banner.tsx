import { Unplug } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useReachable } from '#core/session/reachable.ts';
import { reconnectNow, useLiveState } from '#core/live/live.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { ageOf, clockTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import { messages } from '#app/messages.ts';
import styles from './stale-banner.module.css';

/** A link that recovers at the first retry shows no banner. */
const SHOWN_AFTER_MS = 10_000;

/** Says since when the values on the page are outdated. */
export function StaleBanner() {
  const t = useMessages(messages);
  const lostAt = useLiveState((state) => state.lostAt);
  const retryAt = useLiveState((state) => state.retryAt);
  const locale = usePreferences((state) => state.locale);
  const awaySince = useReachable((state) => state.awaySince);
  // Losses of the link are stamped by the clock of the browser.
  const now = useNow(1000, Date.now);
  if (awaySince === null && (lostAt === null || now - lostAt < SHOWN_AFTER_MS)) return null;
  const seconds = Math.max(0, Math.ceil(((retryAt ?? now) - now) / 1000));
  return (
    <div className={styles['banner']} role="alert">
      <Unplug size={14} aria-hidden="true" />
      {awaySince === null
        ? t('linkLost', { age: ageOf(lostAt ?? now, now, locale), time: clockTime(lostAt ?? now), seconds })
        : t('serverAway', { time: clockTime(awaySince), seconds })}
      <PlainButton size="small" look="link" onClick={reconnectNow}>
        {t('reconnectNow')}
      </PlainButton>
    </div>
  );
}
