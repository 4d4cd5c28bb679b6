import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';

const EVERY_MS = 10_000;

/** The time when a job runs next. A time in the past is shown as due: the server has not started it yet. */
export function DueAt({ at }: { at: string }) {
  const t = useMessages(common);
  const now = useNow(EVERY_MS);
  return <span title={dateTime(at)}>{Date.parse(at) > now ? dateTime(at) : t('dueNow')}</span>;
}
