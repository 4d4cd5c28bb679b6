import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '#shared/api/session.ts';
import { common } from '#shared/i18n/common.messages.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { usePreferences } from '#shared/theme/preferences.ts';
import { messages } from './messages.ts';
import { flatten, keptModules, searchModules, useModules } from './modules.ts';
import { closeSearch, loadHistory, openSearch, saveHistory, useSearchOpen, withRecent } from './search-store.ts';
import styles from './search-overlay.module.css';

const texts = { ...common, ...messages };

function Dialog() {
  const t = useMessages(texts);
  const navigate = useNavigate();
  const locale = usePreferences((state) => state.locale);
  const userId = useSession((state) => state.user?.id ?? '');
  const modules = useModules();
  const input = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [history, setHistory] = useState(() => loadHistory(userId));
  const results = searchModules(flatten(keptModules(modules.data ?? [])), query, locale);
  useEffect(() => {
    const opener = document.activeElement;
    input.current?.focus();
    return () => (opener instanceof HTMLElement ? opener.focus() : undefined);
  }, []);

  const remember = (list: string[]) => {
    setHistory(list);
    saveHistory(userId, list);
  };
  const open = (path: string) => {
    remember(withRecent(history, query.trim()));
    closeSearch();
    void navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step =
      event.key === 'ArrowDown' || (event.key === 'Tab' && !event.shiftKey) ? 1 : event.key === 'ArrowUp' || event.key === 'Tab' ? -1 : 0;
    if (event.key === 'Escape') closeSearch();
    if (step !== 0) {
      event.preventDefault();
      if (results.length > 0) setAt((at + step + results.length) % results.length);
    }
    const chosen = results[at];
    if (event.key === 'Enter' && chosen) open(chosen.path);
  };

  return (
    <div className={styles['backdrop']} onMouseDown={(event) => event.target === event.currentTarget && closeSearch()}>
      <div className={styles['box']} role="dialog" aria-modal="true" aria-label={t('searchModules')} onKeyDown={onKeyDown}>
        <div className={styles['field']}>
          <Search size={17} aria-hidden="true" />
          <input
            ref={input}
            value={query}
            placeholder={t('searchModules')}
            aria-label={t('searchModules')}
            role="combobox"
            aria-expanded={results.length > 0}
            aria-controls="module-results"
            aria-activedescendant={results[at] ? `module-result-${at}` : undefined}
            onChange={(event) => {
              setQuery(event.target.value);
              setAt(0);
            }}
          />
        </div>
        {query === '' && history.length > 0 ? (
          <div className={styles['recent']}>
            <p>{t('recent')}</p>
            {history.map((entry) => (
              <span key={entry} className={styles['tag']}>
                <button type="button" onClick={() => setQuery(entry)}>
                  {entry}
                </button>
                <button
                  type="button"
                  aria-label={t('removeRecent', { query: entry })}
                  onClick={() => remember(history.filter((known) => known !== entry))}
                >
                  <X size={12} aria-hidden="true" />
                </button>
              </span>
            ))}
          </div>
        ) : null}
        <ul id="module-results" role="listbox" className={styles['results']} aria-label={t('searchModules')}>
          {results.map((result, index) => (
            <li
              key={result.path}
              id={`module-result-${index}`}
              role="option"
              aria-selected={index === at}
              onMouseMove={() => setAt(index)}
              onClick={() => open(result.path)}
            >
              {result.label}
            </li>
          ))}
        </ul>
        {query.trim() !== '' && results.length === 0 ? <p className={styles['none']}>{t('noSearchResult')}</p> : null}
        <p className={styles['keys']}>{t('keysHint')}</p>
      </div>
    </div>
  );
}

/** Module search: Ctrl+K or Cmd+K everywhere. */
export function SearchOverlay() {
  const open = useSearchOpen((state) => state.open);
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      openSearch();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return open ? <Dialog /> : null;
}
