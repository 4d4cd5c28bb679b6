import { addCatalogue, LANGUAGES, type Catalogue, type Locale, type TranslatedLanguage } from '@hes/contract/core/text.ts';

/** Translations are loaded by those who read them. */
const CATALOGUES: Record<TranslatedLanguage, () => Promise<{ default: Catalogue }>> = {
  es: () => import('@hes/contract/languages/es.json'),
};

/** Loads the translations of a language. If they cannot be loaded, its readers see English. */
export async function loadLanguage(locale: Locale): Promise<void> {
  const { language } = LANGUAGES[locale];
  if (language === 'en' || language === 'zh') return;
  const catalogue = await CATALOGUES[language]().catch(() => undefined);
  if (catalogue !== undefined) addCatalogue(language, catalogue.default);
}
