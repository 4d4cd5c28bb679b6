/** Languages of the product. A new one is added here, and the compiler names every text that lacks it. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in every language. `{name}` inserts a parameter, `{count|meter|meters}` the singular or plural. */
export type Text = Record<Language, string>;

export const LOCALES = ['en-US', 'zh-CN'] as const;
export type Locale = (typeof LOCALES)[number];

const LANGUAGE_OF: Record<Locale, Language> = { 'en-US': 'en', 'zh-CN': 'zh' };

/** The version of something in the language of a locale. */
export const pick = <T>(versions: Readonly<Record<Language, T>>, locale: Locale): T => versions[LANGUAGE_OF[locale]];

export type TextParams = Record<string, string | number>;

/** Digits are grouped alike in all languages, as in the tables of the console. */
const grouped = new Intl.NumberFormat('en-US');
const PLURALS: Record<Locale, Intl.PluralRules> = { 'en-US': new Intl.PluralRules('en-US'), 'zh-CN': new Intl.PluralRules('zh-CN') };

/** Text in a language, with its parameters inserted; numbers are grouped. A parameter that is missing stays visible. */
export function say(text: Text, locale: Locale, params: TextParams = {}): string {
  const isOne = (name: string): boolean => PLURALS[locale].select(Number(params[name])) === 'one';
  return pick(text, locale)
    .replaceAll(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) => (isOne(name) ? one : many))
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = params[name];
      return value === undefined ? whole : typeof value === 'number' ? grouped.format(value) : value;
    });
}

/** `say(YES_NO[`${is}`], locale)` */
export const YES_NO = { true: { en: 'Yes', zh: '是' }, false: { en: 'No', zh: '否' } };
