import { LOCALES, type Locale } from '@hes/contract/core/text.ts';
import { create } from 'zustand';
import { cssVariables, type ThemeName } from './tokens.ts';

const THEME_KEY = 'SYS_THEME';
const LOCALE_KEY = 'SYS_LOCALE';
const SIZE_KEY = 'SYS_DISPLAY_SIZE';
const LETTER_KEYS_KEY = 'SYS_LETTER_KEYS';

export type DisplaySize = 'standard' | 'large';

interface Preferences {
  theme: ThemeName;
  locale: Locale;
  /** Enlarges all text by one step. */
  size: DisplaySize;
  /** Whether single-letter shortcuts are active. Users of speech input need them off (WCAG 2.1.4). */
  letterKeys: boolean;
  setTheme(theme: ThemeName): void;
  setLocale(locale: Locale): void;
  setSize(size: DisplaySize): void;
  setLetterKeys(on: boolean): void;
}

const storedTheme = (): ThemeName => (localStorage.getItem(THEME_KEY) === 'dark' ? 'dark' : 'light');
const storedLocale = (): Locale => LOCALES.find((locale) => locale === localStorage.getItem(LOCALE_KEY)) ?? 'en-US';

/** Theme and language of this browser, stored under the keys of the specification. */
export const usePreferences = create<Preferences>()((set) => ({
  theme: storedTheme(),
  locale: storedLocale(),
  size: localStorage.getItem(SIZE_KEY) === 'large' ? 'large' : 'standard',
  letterKeys: localStorage.getItem(LETTER_KEYS_KEY) !== 'off',
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
  setSize: (size) => {
    localStorage.setItem(SIZE_KEY, size);
    set({ size });
  },
  setLetterKeys: (letterKeys) => {
    localStorage.setItem(LETTER_KEYS_KEY, letterKeys ? 'on' : 'off');
    set({ letterKeys });
  },
}));

/** Sets theme colours, colour scheme and language on `<html>`. */
export function applyPreferences(): void {
  const { theme, locale } = usePreferences.getState();
  const root = document.documentElement;
  root.lang = locale;
  root.dataset['theme'] = theme;
  root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(cssVariables(theme))) root.style.setProperty(name, value);
}
