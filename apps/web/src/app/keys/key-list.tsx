import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { groupTexts, shortcutTexts } from '#core/keys/shortcuts.messages.ts';
import { SHORTCUTS, type ShortcutName } from '#core/keys/shortcuts.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { messages } from '#app/messages.ts';
import styles from './keys.module.css';

const texts = { ...messages, ...groupTexts };
/** The rows by group: all declared shortcuts, in the order of their table. */
const ROWS = Map.groupBy(Object.keys(shortcutTexts) as ShortcutName[] /* as: keys of this literal */, (name) => SHORTCUTS[name].group);

/** The list of shortcuts, a part of the help. */
export function KeyList() {
  const t = useMessages(texts);
  const say = useSay();
  const letterKeys = usePreferences((state) => state.letterKeys);
  return (
    <>
      {[...ROWS].map(([group, names]) => (
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
    </>
  );
}
