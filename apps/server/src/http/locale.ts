import { LANGUAGES, LOCALES, type Locale } from '@hes/contract/core/text.ts';

const localeOfTag = (tag: string): Locale | undefined =>
  LOCALES.find((locale) => tag === LANGUAGES[locale].language || tag.startsWith(`${LANGUAGES[locale].language}-`));

/** The language that the caller prefers among those of the product; English by default. */
export function localeOf(acceptLanguage: string | undefined): Locale {
  const wishes = (acceptLanguage ?? '').split(',').map((part) => {
    const [tag = '', ...options] = part.trim().toLowerCase().split(';');
    const quality = Number(
      options
        .find((option) => option.trim().startsWith('q='))
        ?.trim()
        .slice(2) ?? 1,
    );
    return { locale: localeOfTag(tag), quality };
  });
  const best = wishes.filter(({ locale, quality }) => quality > 0 && locale !== undefined).toSorted((a, b) => b.quality - a.quality)[0];
  return best?.locale ?? 'en-US';
}
