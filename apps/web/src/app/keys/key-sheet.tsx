import { Modal } from 'antd';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { groupTexts, shortcutTexts } from '#core/keys/shortcuts.messages.ts';
import { SHORTCUTS, type ShortcutName } from '#core/keys/shortcuts.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { useStickyTrue } from '#core/react/use-sticky-true.ts';
import { closeDialog, useDialog } from '#app/dialogs/dialog-store.ts';
import { messages } from '#app/messages.ts';
import styles from './keys.module.css';

const texts = { ...messages, ...groupTexts };
/** The rows of the sheet by group: all declared shortcuts, in the order of their table. */
const SHEET = Map.groupBy(Object.keys(shortcutTexts) as ShortcutName[] /* as: keys of this literal */, (name) => SHORTCUTS[name].group);

/** The list of shortcuts, opened by `?` or from the user menu. */
export function KeySheet() {
  const t = useMessages(texts);
  const say = useSay();
  const open = useDialog((state) => state.open === 'keys');
  const letterKeys = usePreferences((state) => state.letterKeys);
  if (!useStickyTrue(open)) return null;
  return (
    <Modal open={open} width={560} title={t('keys')} footer={null} onCancel={closeDialog} destroyOnHidden>
      {[...SHEET].map(([group, names]) => (
        <section key={group} className={styles['group']}>
          <h3>{t(group)}</h3>
          <dl>
            {names.map((name) => (
              <div key={name}>
                <dt>
                  {SHORTCUTS[name].keys.map((chord) => (
                    <kbd key={chord}>{chord}</kbd>
                  ))}
                </dt>
                <dd>{say(shortcutTexts[name])}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      {letterKeys ? null : <p className={styles['off']}>{t('lettersOff')}</p>}
    </Modal>
  );
}
