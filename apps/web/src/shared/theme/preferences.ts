import { LOCALES, type Locale } from '@hes/contract/core/text.ts';
import { create } from 'zustand';
import { cssVariables, type ThemeName } from './tokens.ts';

const THEME_KEY = 'SYS_THEME';
const LOCALE_KEY = 'SYS_LOCALE';

interface Preferences {
  theme: ThemeName;
  locale: Locale;
  setTheme(theme: ThemeName): void;
  setLocale(locale: Locale): void;
}

const storedTheme = (): ThemeName => (localStorage.getItem(THEME_KEY) === 'dark' ? 'dark' : 'light');
const storedLocale = (): Locale => LOCALES.find((locale) => locale === localStorage.getItem(LOCALE_KEY)) ?? 'en-US';

/** Theme and language of this browser, kept under the keys of the specification. */
export const usePreferences = create<Preferences>()((set) => ({
  theme: storedTheme(),
  locale: storedLocale(),
  setTheme: (theme) => {
    localStorage.setItem(THEME_KEY, theme);
    set({ theme });
    applyPreferences();
  },
  setLocale: (locale) => {
    localStorage.setItem(LOCALE_KEY, locale);
    set({ locale });
    applyPreferences();
  },
}));

/** Puts theme colours, colour scheme and language on `<html>`. */
export function applyPreferences(): void {
  const { theme, locale } = usePreferences.getState();
  const root = document.documentElement;
  root.lang = locale;
  root.dataset['theme'] = theme;
  root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(cssVariables(theme))) root.style.setProperty(name, value);
}
