import { nameText, type Text } from '@hes/contract/core/text.ts';
import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '@hes/contract/audit/actions.ts';
import type { AuditSpeech } from '@hes/contract/audit/render.ts';
import { useMemo } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { dateTime } from '#core/time/format.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };

const known =
  (table: Record<string, Text>) =>
  (code: string): Text =>
    table[code] ?? nameText(code);

/** An unknown code, written by a newer version, is shown unchanged. */
export const actionText = known(AUDIT_ACTION_TEXT);
export const entityText = known(AUDIT_ENTITY_TEXT);

/** Renders details of entries in the user's language and the utility's zone. */
export function useSpeech(): AuditSpeech {
  const locale = usePreferences((state) => state.locale);
  return useMemo(() => ({ locale, dateTime }), [locale]);
}
