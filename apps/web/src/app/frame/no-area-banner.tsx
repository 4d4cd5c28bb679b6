import { MapPinOff } from 'lucide-react';
import { useLocation } from 'react-router';
import { useMe } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from '#app/messages.ts';
import { HOME } from '#core/url/pages.ts';
import styles from './stale-banner.module.css';

/** Shown on all pages but the dashboard, which has a longer text: lists are empty because the user has no network area. */
export function NoAreaBanner() {
  const t = useMessages(messages);
  const { pathname } = useLocation();
  const { data } = useMe();
  if (data?.scope.kind !== 'none' || pathname === HOME) return null;
  return (
    <div className={styles['banner']} role="status">
      <MapPinOff size={14} aria-hidden="true" />
      {t('noArea')}
    </div>
  );
}
