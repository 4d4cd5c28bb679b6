import { Search, UserRound, X, Zap } from 'lucide-react';
import { useEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type ReactNode } from 'react';
import { useNavigate } from 'react-router';
import { useSession } from '#core/session/session.ts';
import { common } from '#core/i18n/common.messages.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useShortcut } from '#core/keys/use-shortcut.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { preloadPage } from '#core/url/preload-page.ts';
import { Sn } from '#kit/basics/text.tsx';
import { DcuIcon, MeterIcon } from '#domain/node-tree/device-icons.tsx';
import { useFoundDevices, type FoundDevice } from './find-devices.ts';
import { messages } from '#app/messages.ts';
import { flatten, isAllowed, keptModules, searchModules, useModules, withInnerPages } from '#app/modules/modules.ts';
import { closeSearch, loadHistory, openSearch, saveHistory, useSearchOpen, withRecent } from './search-store.ts';
import styles from './search-overlay.module.css';

const texts = { ...common, ...messages };

/** Highlights the matching part. */
function Hit({ label, query, fold }: { label: string; query: string; fold: boolean }) {
  const wanted = query.trim();
  const at = fold ? label.toLowerCase().indexOf(wanted.toLowerCase()) : label.indexOf(wanted);
  if (at < 0 || wanted === '') return label;
  return (
    <>
      {label.slice(0, at)}
      <mark>{label.slice(at, at + wanted.length)}</mark>
      {label.slice(at + wanted.length)}
    </>
  );
}

const ICONS: Record<FoundDevice['kind'], ReactNode> = {
  dcu: <DcuIcon />,
  meter: <MeterIcon />,
  transformer: <Zap size={16} aria-hidden="true" />,
  customer: <UserRound size={16} aria-hidden="true" />,
};

const resultId = (index: number): string => `module-result-${index}`;

const optionAt = (target: EventTarget): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('[role="option"]') : null;

/** Keeps Tab inside the dialog. */
function stepFocus(box: HTMLElement, back: boolean): void {
  const stops = [...box.querySelectorAll<HTMLElement>('input, button')];
  const at = stops.indexOf(document.activeElement as HTMLElement); // -1 for any other element
  stops.at((at + (back ? -1 : 1)) % stops.length)?.focus();
}

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
  const tree = modules.data ?? [];
  const pages = searchModules(withInnerPages(flatten(keptModules(tree))), query, locale);
  const devices = useFoundDevices(query, (path) => isAllowed(tree, path));
  const results: { path: string }[] = [...pages, ...devices];
  useEffect(() => {
    const opener = document.activeElement;
    input.current?.focus();
    return () => (opener instanceof HTMLElement ? opener.focus() : undefined);
  }, []);
  useEffect(() => {
    // Braces, so that the effect does not return the promise that some browsers return here.
    document.getElementById(resultId(at))?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const highlighted = results[at]?.path ?? '';
  useEffect(() => preloadPage(highlighted), [highlighted]);

  const remember = (list: string[]) => {
    setHistory(list);
    saveHistory(userId, list);
  };
  const search = (text: string) => {
    setQuery(text);
    setAt(0);
  };
  const open = (path: string) => {
    remember(withRecent(history, query.trim()));
    closeSearch();
    void navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // During IME composition Enter, arrows and Esc belong to the input method.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') closeSearch();
    const isTab = event.key === 'Tab';
    const back = event.key === 'ArrowUp' || (isTab && event.shiftKey);
    if (isTab || event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (results.length > 0) setAt((at + (back ? -1 : 1) + results.length) % results.length);
      else if (isTab) stepFocus(event.currentTarget, back);
    }
    const chosen = results[at];
    if (event.key === 'Enter' && chosen) open(chosen.path);
  };
  const onMouseMove = ({ target }: MouseEvent) => {
    const { index } = optionAt(target)?.dataset ?? {};
    if (index !== undefined) setAt(Number(index));
  };
  const onClick = ({ target }: MouseEvent) => {
    const { path } = optionAt(target)?.dataset ?? {};
    if (path !== undefined) open(path);
  };
  const option = (path: string, index: number, content: ReactNode) => (
    <li key={path} id={resultId(index)} role="option" aria-selected={index === at} data-path={path} data-index={index}>
      {content}
    </li>
  );

  return (
    <div className={styles['backdrop']} role="presentation" onMouseDown={(event) => event.target === event.currentTarget && closeSearch()}>
      <div className={styles['box']} role="dialog" aria-modal="true" aria-label={t('searchModules')}>
        <div role="presentation" onKeyDown={onKeyDown} onMouseMove={onMouseMove} onClick={onClick}>
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
              aria-activedescendant={results[at] ? resultId(at) : undefined}
              onChange={(event) => search(event.target.value)}
            />
          </div>
          {query === '' && history.length > 0 ? (
            <div className={styles['recent']}>
              <p>{t('recent')}</p>
              {history.map((entry) => (
                <span key={entry} className={styles['tag']}>
                  <button
                    type="button"
                    onClick={() => {
                      search(entry);
                      input.current?.focus();
                    }}
                  >
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
            {pages.map((page, index) => option(page.path, index, <Hit label={page.label} query={query} fold={locale !== 'zh-CN'} />))}
            {devices.length > 0 ? (
              <li role="presentation" className={styles['group']}>
                {t('devices')}
              </li>
            ) : null}
            {devices.map((device, index) =>
              option(
                device.path,
                pages.length + index,
                <span className={styles['device']}>
                  {ICONS[device.kind]}
                  {device.kind === 'dcu' || device.kind === 'meter' ? <Sn sn={device.sn} /> : device.sn}
                  {device.name === null ? null : <span>{device.name}</span>}
                </span>,
              ),
            )}
          </ul>
          {query.trim() !== '' && results.length === 0 ? (
            <p className={styles['none']} role="status">
              {t('noSearchResult')}
            </p>
          ) : null}
          <p className={styles['keys']}>{t('keysHint')}</p>
        </div>
      </div>
    </div>
  );
}

/** Search for modules and devices, opened by Ctrl+K or Cmd+K. */
export function SearchOverlay() {
  const open = useSearchOpen((state) => state.open);
  useShortcut('search', openSearch);
  return open ? <Dialog /> : null;
}
