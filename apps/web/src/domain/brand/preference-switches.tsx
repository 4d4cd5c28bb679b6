import { LANGUAGES, LOCALES, type Locale } from '@hes/contract/core/text.ts';
import { Check, Languages, Moon, Sun } from 'lucide-react';
import { common } from '#core/i18n/common.messages.ts';
import { loadLanguage } from '#core/i18n/load-language.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { WithPopup } from '#kit/plain/with-popup.tsx';
import styles from './preference-switches.module.css';

export function ThemeSwitch() {
  const t = useMessages(common);
  const { theme, setTheme } = usePreferences();
  const dark = theme === 'dark';
  const label = t(dark ? 'toLight' : 'toDark');
  return (
    <button type="button" className={styles['button']} aria-label={label} title={label} onClick={() => setTheme(dark ? 'light' : 'dark')}>
      {dark ? <Sun size={17} aria-hidden="true" /> : <Moon size={17} aria-hidden="true" />}
    </button>
  );
}

export function LanguageSwitch() {
  const t = useMessages(common);
  const { locale, setLocale } = usePreferences();
  const switchLanguage = async (to: Locale): Promise<void> => {
    await loadLanguage(to);
    setLocale(to);
  };
  const items = LOCALES.map((key) => ({
    key,
    label: (
      <span className={styles['item']} lang={key}>
        {LANGUAGES[key].name}
        {key === locale ? <Check size={14} role="img" aria-label={t('inUse')} /> : null}
      </span>
    ),
  }));
  return (
    <WithPopup
      trigger={['click']}
      autoFocus
      menu={{ items, selectedKeys: [locale], onClick: ({ key }) => void switchLanguage(LOCALES.find((known) => known === key) ?? 'en-US') }}
    >
      <button type="button" className={styles['button']} aria-label={t('language')} aria-haspopup="menu">
        <Languages size={17} aria-hidden="true" />
        {LANGUAGES[locale].short}
      </button>
    </WithPopup>
  );
}
