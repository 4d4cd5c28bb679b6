import { common } from '#core/i18n/common.messages.ts';
import { messages } from './messages.ts';

export const texts = { ...common, ...messages };
