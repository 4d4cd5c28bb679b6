import { Modal } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { closeDialog, useDialog } from '#app/dialogs/dialog-store.ts';
import { messages } from '#app/messages.ts';
import styles from './keys.module.css';

type Word = keyof typeof messages;

/** The key names are the same in all languages, as on keyboards. */
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

/** The list of shortcuts, opened by `?` or from the user menu. */
export function KeySheet() {
  const t = useMessages(messages);
  const open = useDialog((state) => state.open === 'keys');
  const letterKeys = usePreferences((state) => state.letterKeys);
  if (!useStickyTrue(open)) return null;
  return (
    <Modal open={open} width={560} title={t('keys')} footer={null} onCancel={closeDialog} destroyOnHidden>
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
