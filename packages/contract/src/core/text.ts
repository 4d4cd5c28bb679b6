/** Languages in which the sources are written. The texts of all other languages stand in catalogues, see `languages/`. */
export const SOURCE_LANGUAGES = ['en', 'zh'] as const;
export type SourceLanguage = (typeof SOURCE_LANGUAGES)[number];

/** Languages of the product by locale. A language that is added here also needs a catalogue. */
export const LANGUAGES = {
  'en-US': { language: 'en', name: 'English', short: 'EN' },
  'zh-CN': { language: 'zh', name: '简体中文', short: '中' },
  'es-ES': { language: 'es', name: 'Español', short: 'ES' },
} as const;
export type Locale = keyof typeof LANGUAGES;
export type Language = (typeof LANGUAGES)[Locale]['language'];
export type TranslatedLanguage = Exclude<Language, SourceLanguage>;

export const LOCALES = Object.keys(LANGUAGES) as [Locale, ...Locale[]]; // as: the table is not empty

/**
 * A text in the source languages. `{name}` inserts a parameter, `{count|meter|meters}` chooses the singular or plural. Translations are
 * found by both versions, except if these are equal: such a text is a name.
 */
export interface Text extends Readonly<Record<SourceLanguage, string>> {
  /** Parameters that the text carries, see `fill`. */
  readonly params?: TextParams;
}

/** A parameter may be a text itself and then appears in the same language. */
export type TextParams = Readonly<Record<string, string | number | Text>>;

/** Translations by English text; where one English text has several Chinese versions, by both. */
export type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>;

const catalogues = new Map<TranslatedLanguage, Catalogue>();

/** Makes a language available. Until then its readers see English. */
export const addCatalogue = (language: TranslatedLanguage, catalogue: Catalogue): void => void catalogues.set(language, catalogue);

const isSource = (language: string): language is SourceLanguage => SOURCE_LANGUAGES.some((source) => source === language);

/** The translation of a text, if the catalogue has one. */
export function translationIn(catalogue: Catalogue, { en, zh }: Readonly<Record<SourceLanguage, string>>): string | undefined {
  const found = Object.hasOwn(catalogue, en) ? catalogue[en] : undefined;
  return typeof found === 'object' ? found[zh] : found;
}

function translationOf(text: Readonly<Record<SourceLanguage, string>>, language: TranslatedLanguage): string | undefined {
  const catalogue = catalogues.get(language);
  return text.en === text.zh || catalogue === undefined ? undefined : translationIn(catalogue, text);
}

/** The version of a text or name in a language, without parameters; English if there is no translation. */
export function pick(text: Text, locale: Locale): string;
export function pick(text: Readonly<Record<SourceLanguage, string | null>>, locale: Locale): string | null;
export function pick({ en, zh }: Readonly<Record<SourceLanguage, string | null>>, locale: Locale): string | null {
  const { language } = LANGUAGES[locale];
  if (isSource(language)) return { en, zh }[language];
  return (en === null || zh === null ? undefined : translationOf({ en, zh }, language)) ?? en;
}

/** The text with parameters that `say` will insert, in any language. */
export const fill = (text: Text, params: TextParams): Text => ({ ...text, params: { ...text.params, ...params } });

/** Texts as parameters `{0}`, `{1}` and so on. */
export const byPlace = (parts: readonly Text[]): TextParams => Object.fromEntries(parts.entries());

/** Several texts as one, with a separator between them. */
export function joinTexts(parts: readonly Text[], separator: Text): Text {
  const places = parts.map((_, index) => `{${index}}`);
  return { en: places.join(separator.en), zh: places.join(separator.zh), params: byPlace(parts) };
}

/** A name that is the same in every language, such as one given by a user. */
export const nameText = (name: string): Text => ({ en: name, zh: name });

/** Digits are grouped alike in all languages, as in the tables of the console. */
const grouped = new Intl.NumberFormat('en-US');
const plurals = new Map(LOCALES.map((locale) => [locale, new Intl.PluralRules(locale)]));

/** Text in a language, with its parameters inserted; numbers are grouped. A parameter that is missing stays visible. */
export function say(text: Text, locale: Locale, params: TextParams = {}): string {
  const all: TextParams = { ...text.params, ...params };
  // A name may contain braces of its own.
  if (text.en === text.zh && Object.keys(all).length === 0) return text.en;
  const isOne = (name: string): boolean => plurals.get(locale)?.select(Number(all[name])) === 'one';
  return pick(text, locale)
    .replaceAll(/\{(\w+)\|([^|}]*)\|([^}]*)\}/g, (_, name: string, one: string, many: string) => (isOne(name) ? one : many))
    .replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      const value = all[name];
      if (value === undefined) return whole;
      if (typeof value === 'object') return say(value, locale);
      return typeof value === 'number' ? grouped.format(value) : value;
    });
}

/** The text in every language, with the parameters that it carries. */
export const inEveryLanguage = (text: Text): Record<Language, string> =>
  Object.fromEntries(LOCALES.map((locale) => [LANGUAGES[locale].language, say(text, locale)])) as Record<Language, string>; // as: every language has a locale

/** `say(YES_NO[`${is}`], locale)` */
export const YES_NO = { true: { en: 'Yes', zh: '是' }, false: { en: 'No', zh: '否' } };
