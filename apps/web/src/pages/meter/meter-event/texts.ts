import { pick } from '@hes/contract/core/text.ts';
import type { EventRow } from '@hes/contract/event/event.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };

type Named = Pick<EventRow, 'nameEn' | 'nameZh' | 'code'>;

/** The name of a code in the current language; a code without a name shows its number. */
export const codeName = (row: Named, { say, locale }: Pick<ListTools, 'say' | 'locale'>): string =>
  pick({ en: row.nameEn, zh: row.nameZh }, locale) ?? say(texts.unknownCode, { code: String(row.code) });

export function useCodeName(): (row: Named) => string {
  const say = useSay();
  const locale = usePreferences((state) => state.locale);
  return (row) => codeName(row, { say, locale });
}

/** Duration of an event, known once its end was recorded. */
export const durationMs = (row: Pick<EventRow, 'occurAt' | 'recoveredAt'>): number | null =>
  row.recoveredAt === null ? null : Date.parse(row.recoveredAt) - Date.parse(row.occurAt);

/** Abnormal and not acknowledged. */
export const isOpen = (row: Pick<EventRow, 'ackAt' | 'abnormalLevel'>): boolean => row.ackAt === null && row.abnormalLevel !== null;
