import { common } from '#shared/i18n/common.messages.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { dateTime } from '#shared/time/format.ts';
import { useNow } from '#shared/time/use-now.ts';

const EVERY_MS = 10_000;

/** When something is to happen next. A moment that has passed is not "next": it is due, and the server has not begun yet. */
export function DueAt({ at }: { at: string }) {
  const t = useMessages(common);
  const now = useNow(EVERY_MS);
  return <span title={dateTime(at)}>{Date.parse(at) > now ? dateTime(at) : t('dueNow')}</span>;
}
