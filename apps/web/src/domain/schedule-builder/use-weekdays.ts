import { useMessages } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

/** Short names of the weekdays, Sunday first. */
export function useWeekdays(): readonly string[] {
  const t = useMessages(messages);
  return [t('sun'), t('mon'), t('tue'), t('wed'), t('thu'), t('fri'), t('sat')];
}
