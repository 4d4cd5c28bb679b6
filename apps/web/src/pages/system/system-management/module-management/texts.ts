import { common } from '#core/i18n/common.messages.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
export type T = Translate<typeof texts>;
