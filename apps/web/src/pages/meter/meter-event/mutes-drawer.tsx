import { event } from '@hes/contract/event/event.ts';
import { EVENT_LOG_TEXT } from '@hes/contract/states/event.ts';
import { App, Button, Drawer } from 'antd';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { texts } from './texts.ts';
import styles from './event.module.css';

const SIZE = 520;

/** Opens the active mutes; shown while there is one, or the drawer is open. */
export function MutesButton() {
  const t = useMessages(texts);
  const [isOpen, setOpen] = useState(false);
  const count = useApiQuery(event.mutes).data?.items.length ?? 0;
  return (
    <>
      {count === 0 ? null : (
        <Button icon={<BellOff size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
          {t('mutedNow', { count })}
        </Button>
      )}
      {isOpen ? <MutesDrawer onClose={() => setOpen(false)} /> : null}
    </>
  );
}

/** The active mutes with user and reason. */
function MutesDrawer({ onClose }: { onClose: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const mutes = useApiQuery(event.mutes);
  const reload = useReload(event.list);
  const unmute = useApiMutation(event.unmute, { success: reload, failure: (error) => void message.error(error.message, 0) });
  return (
    <Drawer open size={SIZE} title={t('muted')} onClose={onClose}>
      <PanelState query={mutes}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t('noData')} />
          ) : (
            <ul className={styles['mutes']}>
              {items.map((row) => (
                <li key={row.id}>
                  <div>
                    <b>
                      <Sn sn={row.deviceSn} /> · {say(EVENT_LOG_TEXT[row.log])} {row.code}
                    </b>
                    <small>
                      {t('until', { at: dateTime(row.until) })} · {row.mutedByName ?? '—'} · {row.reason}
                    </small>
                  </div>
                  {may(event.unmute) ? (
                    <Button size="small" onClick={() => unmute.mutate({ params: { id: row.id } })}>
                      {t('unmute')}
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
          )
        }
      </PanelState>
    </Drawer>
  );
}
