import type { UpgradeLogLine } from '@hes/contract/upgrade/record.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import type { texts } from './messages.ts';

type Line = Pick<UpgradeLogLine, 'fromStatus' | 'toStatus' | 'text'>;

/** The note on a transition. The engine stores numbers and keywords; this renders them in the user's language. */
export function noteOf({ fromStatus, toStatus, text }: Line, t: Translate<typeof texts>): string | null {
  if (text === null) return null;
  if (toStatus === 'idle') return t(text === 'start' ? 'anew' : 'resumed');
  if (toStatus === 'enable_translate' && text === 'lost') return t('lost');
  if (toStatus === 'start_translate' && text === 'resume') return t('resumed');
  if (toStatus === 'translating' && fromStatus === 'start_translate') return t('fromBlock', { block: Number(text) + 1 });
  if (toStatus === 'translating' || toStatus === 'check_image') return t('missing', { count: Number(text) });
  return text;
}
