import type { Text } from '@hes/contract/core/text.ts';
import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '@hes/contract/states/audit.ts';
import { common } from '#shared/i18n/common.messages.ts';
import type { Translate } from '#shared/i18n/use-messages.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
export type T = Translate<typeof texts>;

const known =
  (table: Record<string, Text>) =>
  (code: string): Text =>
    table[code] ?? { en: code, zh: code };

/** An entry of a later version, read by this one, shows its code. */
export const actionText = known(AUDIT_ACTION_TEXT);
export const entityText = known(AUDIT_ENTITY_TEXT);
