import { say, type Text, type TextParams } from '@hes/contract/core/text.ts';
import { useMemo } from 'react';
import { usePreferences } from '#core/theme/preferences.ts';
import type { Messages } from './messages.ts';

export type Translate<T extends Messages> = (key: keyof T, params?: TextParams) => string;

/** The translate function of a page: `t('title')`. */
export function useMessages<const T extends Messages>(messages: T): Translate<T> {
  const locale = usePreferences((state) => state.locale);
  return useMemo(
    () => (key: keyof T, params?: TextParams) => {
      const text: Text | undefined = messages[key];
      return text ? say(text, locale, params) : String(key);
    },
    [messages, locale],
  );
}

/** The translate function for texts of the contract or of a table of states. */
export function useSay(): (text: Text, params?: TextParams) => string {
  const locale = usePreferences((state) => state.locale);
  return useMemo(() => (text: Text, params?: TextParams) => say(text, locale, params), [locale]);
}
