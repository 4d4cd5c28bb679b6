import { say, type Text, type TextParams } from '@hes/contract/core/text.ts';
import { useMemo } from 'react';
import { usePreferences } from '#core/theme/preferences.ts';
import type { Messages } from './messages.ts';

/** Names of the parameters in a text: `count` and `name` in `{count|meter|meters} of {name}`. */
type ParamsIn<S extends string> = S extends `${string}{${infer Place}}${infer Rest}`
  ? (Place extends `${infer Name}|${string}` ? Name : Place) | ParamsIn<Rest>
  : never;

/** The parameters that a text needs, as arguments after its key. A text that is not known to the compiler takes any. */
type ParamsOf<S extends string> = string extends S
  ? [params?: TextParams]
  : [ParamsIn<S>] extends [never]
    ? []
    : [params: Readonly<Record<ParamsIn<S>, TextParams[string]>>];

/** Keys of the texts without parameters. */
export type PlainKey<T extends Messages> = { [K in keyof T]: [ParamsIn<T[K]['en']>] extends [never] ? K : never }[keyof T];

export type Translate<T extends Messages> = <K extends keyof T>(key: K, ...params: ParamsOf<T[K]['en']>) => string;

/** The translate function of a page: `t('title')`, `t('meters', { count })`. A missing parameter does not compile. */
export function useMessages<const T extends Messages>(messages: T): Translate<T> {
  const locale = usePreferences((state) => state.locale);
  return useMemo(
    () =>
      (key: keyof T, ...[params]: [params?: TextParams]) => {
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
