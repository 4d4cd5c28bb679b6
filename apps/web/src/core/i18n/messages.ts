import type { Text } from '@hes/contract/core/text.ts';

export type Messages = Record<string, Text>;

/** Declares the texts of a page or widget in all languages. */
export const defineMessages = <const T extends Messages>(messages: T): T => messages;
