import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useSession } from '#core/session/session.ts';
import { Skeleton } from '#kit/basics/states.tsx';
import styles from './shell-coming.module.css';

const PANELS = [3, 8, 8, 6];

/** Placeholder of header, tabs and page until the rights of the user are known. Users who are sent to the sign-in see nothing. */
export function ShellComing() {
  const t = useMessages(common);
  const isSignedIn = useSession(({ user, expired }) => user !== null && !expired);
  if (!isSignedIn) return null;
  return (
    <div className={styles['shell']} role="status" aria-label={t('loading')}>
      <div className={styles['header']} />
      <div className={styles['tabs']} />
      <div className={styles['page']} aria-hidden="true">
        {PANELS.map((lines, at) => (
          <div key={at} className={styles['panel']}>
            <Skeleton lines={lines} />
          </div>
        ))}
      </div>
    </div>
  );
}
