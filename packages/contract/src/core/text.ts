/** A text in both languages; `{name}` is replaced by a parameter. */
export interface Text {
  en: string;
  zh: string;
}

export const LOCALES = ['en-US', 'zh-CN'] as const;
export type Locale = (typeof LOCALES)[number];

export type TextParams = Record<string, string | number>;

/** Text in a language, with its parameters inserted. */
export function say(text: Text, locale: Locale, params: TextParams = {}): string {
  const sentence = locale === 'zh-CN' ? text.zh : text.en;
  return sentence.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole));
}

/** `say(YES_NO[`${is}`], locale)` */
export const YES_NO = { true: { en: 'Yes', zh: '是' }, false: { en: 'No', zh: '否' } };
