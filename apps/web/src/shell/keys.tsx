import { Modal } from 'antd';
import { useEffect } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { create } from 'zustand';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { isTyping, usePreferences } from '#shared/theme/preferences.ts';
import { useEver } from '#shared/ui/use-ever.ts';
import { messages } from './messages.ts';
import { useTabs } from './tabs.ts';
import { useCloseTabs } from './use-close-tabs.ts';
import styles from './keys.module.css';

type Word = keyof typeof messages;

/** Printed on keyboards, so the same in every language. */
const SHEET: { title: Word; rows: { keys: string[]; does: Word }[] }[] = [
  {
    title: 'keysEverywhere',
    rows: [
      { keys: ['Ctrl K', '⌘ K'], does: 'keySearch' },
      { keys: ['Alt 1', 'Alt 9'], does: 'keyTab' },
      { keys: ['Alt W'], does: 'keyCloseTab' },
      { keys: ['Alt R'], does: 'keyReload' },
      { keys: ['Esc'], does: 'keyEscape' },
      { keys: ['?'], does: 'keySheet' },
    ],
  },
  {
    title: 'keysList',
    rows: [
      { keys: ['/'], does: 'keyFilter' },
      { keys: ['↑', '↓'], does: 'keyRow' },
      { keys: ['Enter'], does: 'keyOpen' },
      { keys: ['J', 'K'], does: 'keyStep' },
      { keys: ['Space'], does: 'keyChoose' },
      { keys: ['Shift', 'Click'], does: 'keyRange' },
      { keys: ['Ctrl A'], does: 'keyPage' },
    ],
  },
  {
    title: 'keysRun',
    rows: [
      { keys: ['P'], does: 'keyPause' },
      { keys: ['S'], does: 'keyStop' },
    ],
  },
  {
    title: 'keysNetwork',
    rows: [
      { keys: ['F'], does: 'keyFit' },
      { keys: ['+', '−'], does: 'keyZoom' },
      { keys: ['↑', '↓', '←', '→'], does: 'keyNeighbour' },
    ],
  },
];

export const useKeySheet = create<{ open: boolean }>()(() => ({ open: false }));
const setOpen = (open: boolean) => useKeySheet.setState({ open });

/** The first field of the page to type into: where `/` leads. */
const searchField = (): HTMLInputElement | undefined =>
  [...document.querySelectorAll<HTMLInputElement>('main input[type="search"], main input[type="text"]')].find(
    (field) => field.offsetParent !== null && !field.readOnly && !field.disabled,
  );

/** Keys that work on every page. Single letters only where nobody writes, and only if they are wanted. */
function useKeys(): void {
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const closeTab = useCloseTabs();
  useEffect(() => {
    const withAlt = (event: KeyboardEvent): (() => unknown) | undefined => {
      const { tabs } = useTabs.getState();
      const tab = /^Digit[1-9]$/.test(event.code) ? tabs[Number(event.code.slice(5)) - 1] : undefined;
      if (tab) return () => navigate(tab.path + tab.search);
      if (event.code === 'KeyR') return () => navigate(`/redirect${pathname}${search}`, { replace: true });
      if (event.code !== 'KeyW' || pathname === tabs[0]?.path) return undefined;
      return () => closeTab('current', { path: pathname });
    };
    const alone = (event: KeyboardEvent): (() => unknown) | undefined => {
      if (isTyping(event) || !usePreferences.getState().letterKeys) return undefined;
      if (event.key === '?') return () => setOpen(true);
      return event.key === '/' && searchField() ? () => searchField()?.focus() : undefined;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey) return;
      const does = event.altKey ? withAlt(event) : alone(event);
      if (!does) return;
      event.preventDefault();
      does();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, pathname, search, closeTab]);
}

/** The sheet of keys, opened by `?` or from the user menu. */
export function Keys() {
  const t = useMessages(messages);
  const open = useKeySheet((state) => state.open);
  const letterKeys = usePreferences((state) => state.letterKeys);
  useKeys();
  if (!useEver(open)) return null;
  return (
    <Modal open={open} width={560} title={t('keys')} footer={null} onCancel={() => setOpen(false)} destroyOnHidden>
      {SHEET.map(({ title, rows }) => (
        <section key={title} className={styles['group']}>
          <h3>{t(title)}</h3>
          <dl>
            {rows.map(({ keys, does }) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{t(does)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      {letterKeys ? null : <p className={styles['off']}>{t('lettersOff')}</p>}
    </Modal>
  );
}
