import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { texts } from '#pages/dashboard/texts.ts';
import { useSummary } from '#pages/dashboard/use-summary.ts';
import styles from './filling.module.css';

/** The last use of the emergency account, for those who may see users or the audit log. */
export function EmergencyNotice() {
  const t = useMessages(texts);
  const { data } = useSummary();
  if (!data?.emergency) return null;
  const { username, at } = data.emergency;
  return (
    <div className={styles['notice']} role="alert">
      <strong>{t('emergencyUsed', { name: username, at: dateTime(at) })}</strong>
    </div>
  );
}
