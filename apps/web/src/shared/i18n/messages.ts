import type { Locale, Text, TextParams } from '@hes/contract/core/text.ts';

export type Messages = Record<string, Text>;

/** Declares the texts of a page or widget in both languages. */
export const defineMessages = <const T extends Messages>(messages: T): T => messages;

const number = new Intl.NumberFormat('en-US');

/** Fills a text. `{name}` inserts a parameter (numbers grouped), `{count|meter|meters}` the singular or plural. */
export function format(text: Text, locale: Locale, params: TextParams = {}): string {
  const sentence = locale === 'zh-CN' ? text.zh : text.en;
  return sentence
    .replaceAll(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) => (params[name] === 1 ? one : many))
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      return value === undefined ? whole : typeof value === 'number' ? number.format(value) : value;
    });
}
