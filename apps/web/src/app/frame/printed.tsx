import { useEffect } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'react-router';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { applyPreferences, usePreferences } from '#core/theme/preferences.ts';
import { dateTime, useServerTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { metaOf } from '#core/url/pages.ts';
import styles from './layout.module.css';

/** Prints in the light theme, independent of the theme on the screen. */
function useLightPaper(): void {
  useEffect(() => {
    let worn = usePreferences.getState().theme;
    // Synchronous: the browser takes its snapshot without waiting for later renders.
    const wear = (theme: typeof worn) => {
      flushSync(() => usePreferences.setState({ theme }));
      applyPreferences();
    };
    const before = () => {
      worn = usePreferences.getState().theme;
      if (worn !== 'light') wear('light');
    };
    const after = () => wear(worn);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
    };
  }, []);
}

/** Print header: system, page, user and time. */
export function Printed() {
  const t = useMessages(common);
  const say = useSay();
  const { title } = metaOf(useLocation().pathname);
  const name = useSession((state) => state.user?.name);
  const timeZone = useServerTime((state) => state.timeZone);
  const now = useNow();
  useLightPaper();
  return (
    <p className={styles['printed']} aria-hidden="true">
      <span>{[t('appName'), title && say(title)].filter(Boolean).join(' · ')}</span>
      <span>
        {name} · {dateTime(now)} {timeZone}
      </span>
    </p>
  );
}
