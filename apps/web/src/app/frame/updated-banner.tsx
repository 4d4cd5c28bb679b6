import { RefreshCw } from 'lucide-react';
import { useServedConsole } from '#core/session/served-console.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { PlainButton } from '#kit/plain/plain-button.tsx';
import styles from './stale-banner.module.css';

/** The head-end serves another version of the console: pages that were not opened yet can no longer be loaded. */
export function UpdatedBanner() {
  const t = useMessages(common);
  if (!useServedConsole((state) => state.isAnother)) return null;
  return (
    <div className={styles['banner']} role="alert">
      <RefreshCw size={14} aria-hidden="true" />
      {`${t('consoleUpdated')}. ${t('consoleUpdatedHint')}`}
      <PlainButton size="small" look="link" onClick={() => location.reload()}>
        {t('reloadPage')}
      </PlainButton>
    </div>
  );
}
