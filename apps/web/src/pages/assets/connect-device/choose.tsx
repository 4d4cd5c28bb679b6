import { connecting } from '@hes/contract/asset/connecting.ts';
import type { PAGE_WORDS, WordsOf } from '@hes/contract/page/links.ts';
import { CONNECTED_KINDS } from '@hes/contract/states/connecting.ts';
import { RadioReceiver, Server } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { ONLINE } from '#domain/states/tables.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DemonstrationPanel } from './demonstration.tsx';
import { texts } from './messages.ts';
import { titleOf } from './rail.tsx';
import { stepsOf } from './steps.ts';
import styles from './connect.module.css';

const POLL_MS = 5000;
const CHOICES = {
  dcu: { title: 'dcuChoice', hint: 'dcuChoiceHint', Icon: Server },
  meter: { title: 'meterChoice', hint: 'meterChoiceHint', Icon: RadioReceiver },
} as const;

/** The beginning: the kind of the device, devices that are not finished, and the demonstration. */
export function Choose({ onOpen }: { onOpen: (words: WordsOf<typeof PAGE_WORDS.connect>) => void }) {
  const t = useMessages(texts);
  const overview = useApiQuery(connecting.overview, { refetchMs: POLL_MS });
  return (
    <div className={styles['choose']}>
      <h2>{t('what')}</h2>
      <div className={styles['kinds']}>
        {CONNECTED_KINDS.map((kind) => {
          const { title, hint, Icon } = CHOICES[kind];
          return (
            <button key={kind} type="button" onClick={() => onOpen({ kind, step: 'call' })}>
              <Icon size={28} aria-hidden="true" />
              <strong>{t(title)}</strong>
              <span>{t(hint)}</span>
              <ol className={styles['ahead']} aria-label={t('steps')}>
                {stepsOf(kind).map((step) => (
                  <li key={step}>{t(titleOf(kind, step))}</li>
                ))}
              </ol>
            </button>
          );
        })}
      </div>
      <PanelState query={overview} lines={3}>
        {({ unfinished, demonstration }) => (
          <>
            {unfinished.length > 0 ? (
              <Panel title={t('unfinished')} note={t('unfinishedHint')}>
                <ul className={styles['unfinished']}>
                  {unfinished.map(({ kind, id, sn, typeName, createdAt, onlineStatus }) => (
                    <li key={`${kind}/${id}`}>
                      <button type="button" onClick={() => onOpen({ kind, id })}>
                        <Sn sn={sn} />
                        <span>{typeName}</span>
                        <StateOf sign={ONLINE[onlineStatus]} />
                        <small>{dateTime(createdAt)}</small>
                      </button>
                    </li>
                  ))}
                </ul>
              </Panel>
            ) : null}
            {demonstration === null ? null : <DemonstrationPanel demonstration={demonstration} onChanged={() => void overview.refetch()} />}
          </>
        )}
      </PanelState>
    </div>
  );
}
