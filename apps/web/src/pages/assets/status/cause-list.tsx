import type { TextParams } from '@hes/contract/core/text.ts';
import type { Cause, StatusAction } from '@hes/contract/status/cause.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Glyph } from '#kit/state/glyphs.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { HEALTH, WORTH_KNOWING } from './signs.ts';
import styles from './status.module.css';

/** Values whose name ends in `At` are instants; readers see them in the time of the utility. */
const inLocalTime = (values: TextParams): TextParams =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      name.endsWith('At') && typeof value === 'string' && value !== '' ? dateTime(value).slice(0, 16) : value,
    ]),
  );

interface CauseListProps<F, C extends string> {
  /** Where several devices are judged: whose causes these are. */
  title?: string;
  table: Readonly<Record<C, Cause<F>>>;
  codes: readonly C[];
  facts: F;
  at: string;
  buttons: (actions: readonly StatusAction[]) => React.ReactNode;
  /** Offered whatever the causes are. */
  always?: readonly StatusAction[];
}

/** Why a device is not well, each cause with what to do and the buttons for it. */
export function CauseList<F, C extends string>({ title, table, codes, facts, at, buttons, always = [] }: CauseListProps<F, C>) {
  const t = useMessages(texts);
  const say = useSay();
  return (
    <Panel
      title={title ?? t('why')}
      note={t('asOf', { at: dateTime(at) })}
      extra={always.length === 0 ? null : <div className={styles['buttons']}>{buttons(always)}</div>}
    >
      {codes.length === 0 ? (
        <p className={styles['fine']}>
          <StateOf sign={HEALTH.well} /> {t('noCause')}
        </p>
      ) : (
        <ul className={styles['causes']}>
          {codes.map((code) => {
            const cause = table[code];
            const sign = cause.health === null ? WORTH_KNOWING : HEALTH[cause.health];
            return (
              <li key={code} data-cause={code}>
                <span className={styles['mark']} title={say(sign.text)}>
                  <Glyph shape={sign.shape} tone={sign.tone} size={18} />
                </span>
                <div>
                  <p className={styles['sentence']}>{say(cause.sentence, inLocalTime(cause.values?.(facts) ?? {}))}</p>
                  <p className={styles['todo']}>{say(cause.todo)}</p>
                </div>
                <div className={styles['buttons']}>{buttons(cause.actions)}</div>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
