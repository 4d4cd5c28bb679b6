import { useMessages } from '#core/i18n/use-messages.ts';
import { countTexts } from './messages.ts';

const isKnown = (key: string): key is keyof typeof countTexts => key in countTexts;

/** Labels of the counts in a network order. */
export function useCountNames(): (key: string) => string {
  const t = useMessages(countTexts);
  return (key) => (isKnown(key) ? t(key) : key);
}
