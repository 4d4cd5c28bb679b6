import { CircleHelp, Search } from 'lucide-react';
import { Link } from 'react-router';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Logo } from '#domain/brand/logo.tsx';
import { Bell } from './bell.tsx';
import { MainMenu } from './main-menu.tsx';
import { messages } from '#app/messages.ts';
import { LanguageSwitch, ThemeSwitch } from '#domain/brand/preference-switches.tsx';
import { logoVariant, usePublicSettings } from '#domain/brand/public-settings.ts';
import { openHelp } from '#app/dialogs/dialog-store.ts';
import { openSearch } from '#app/search/search-store.ts';
import { UserMenu } from './user-menu.tsx';
import styles from './header.module.css';

/** The key names are the same in all languages, as on keyboards. */
const SEARCH_KEYS = 'Ctrl K';

const texts = { ...common, ...messages };

export function Header() {
  const t = useMessages(texts);
  const settings = usePublicSettings();
  return (
    <header className={styles['header']}>
      <Link to="/" className={styles['brand']} aria-label={t('home')}>
        <Logo variant={logoVariant(settings.data?.logo, location.hostname)} />
        <span>{t('appName')}</span>
      </Link>
      <MainMenu />
      <button type="button" className={styles['search']} onClick={openSearch} aria-haspopup="dialog" aria-keyshortcuts="Control+K">
        <Search size={15} aria-hidden="true" />
        <span>{t('searchModules')}</span>
        <kbd>{SEARCH_KEYS}</kbd>
      </button>
      <Bell />
      <button
        type="button"
        className={styles['icon']}
        aria-label={t('help')}
        title={t('help')}
        aria-haspopup="dialog"
        onClick={() => openHelp('page')}
      >
        <CircleHelp size={17} aria-hidden="true" />
      </button>
      <ThemeSwitch />
      <LanguageSwitch />
      <UserMenu />
    </header>
  );
}
