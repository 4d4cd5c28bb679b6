import { connecting, type Door } from '@hes/contract/asset/connecting.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { Alert, Button, Segmented } from 'antd';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { Properties } from '#kit/basics/text.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { Attempts } from './attempts.tsx';
import { texts } from './messages.ts';
import type { StepProps } from './step-props.ts';
import styles from './connect.module.css';

type Callers = ResponseOf<typeof dcu.unregistered>;
const POLL_MS = 2000;
const TLS_WORD = { none: 'tlsNone', optional: 'tlsOptional', required: 'tlsRequired' } as const;
const SILENT_SHOWN = 5;

/** What an engineer enters in the device. */
function DoorCard({ door }: { door: Door }) {
  const t = useMessages(texts);
  const { addresses, port, tls } = door;
  return (
    <section aria-label={t('enterInDevice')}>
      <h3>{t('enterInDevice')}</h3>
      {addresses.length === 0 ? <Alert type="warning" showIcon title={t('onlyThisMachine')} /> : null}
      <Properties
        items={[
          {
            label: t('address'),
            wide: true,
            value: <span className="mono">{addresses.length === 0 ? t('thisMachine') : addresses.join(' · ')}</span>,
          },
          { label: t('port'), value: <span className="mono">{port}</span> },
          { label: t('tls'), value: t(TLS_WORD[tls]) },
          { label: t('framing'), wide: true, value: t('framings') },
        ]}
      />
    </section>
  );
}

/** Unregistered callers, newest first, and connections that ended before anything was known about the device. */
function CallerList({ callers, onChoose }: { callers: Callers; onChoose: (caller: { sn: string; title: string | undefined }) => void }) {
  const t = useMessages(texts);
  type Caller = Callers['items'][number];
  const columns: Column<Caller>[] = [
    { key: 'claimedName', title: t('sn'), width: 180, mono: true, cell: (row) => row.claimedName },
    { key: 'systemTitle', title: t('systemTitle'), width: 170, mono: true, cell: (row) => row.systemTitle ?? '—' },
    { key: 'remote', title: t('address'), mono: true, cell: (row) => row.remote },
    { key: 'lastSeenAt', title: t('calledAt'), width: 170, cell: (row) => dateTime(row.lastSeenAt) },
    {
      key: 'choose',
      title: <span className="visually-hidden">{t('thisOne')}</span>,
      width: 110,
      cell: (row) => (
        <Button
          size="small"
          type="primary"
          aria-label={`${t('thisOne')} ${row.claimedName}`}
          onClick={() => onChoose({ sn: row.claimedName, title: row.systemTitle ?? undefined })}
        >
          {t('thisOne')}
        </Button>
      ),
    },
  ];
  const silent = callers.anonymous.slice(0, SILENT_SHOWN);
  return (
    <>
      {callers.items.length === 0 ? (
        <div className={styles['waiting']} role="status">
          <span className={styles['pulse']} aria-hidden="true" />
          <div>
            <strong>{t('waitingForCall')}</strong>
            <p className={styles['hint']}>{t('waitingHint')}</p>
          </div>
        </div>
      ) : (
        <div className={styles['callers']}>
          <DataTable label={t('whoCalled')} columns={columns} rows={callers.items} rowKey={(row) => row.claimedName} empty={null} />
        </div>
      )}
      {silent.length > 0 ? (
        <section>
          <h3>{t('silent')}</h3>
          <p className={styles['hint']}>{t('silentHint')}</p>
          <Attempts rows={silent} />
        </section>
      ) : null}
    </>
  );
}

/** The direction of the connection, the address to enter in the device, and the devices that have called. */
export function CallStep({ url, setUrl }: StepProps) {
  const t = useMessages(texts);
  const direction = url.direction ?? 'dial_in';
  const overview = useApiQuery(connecting.overview);
  const callers = useApiQuery(dcu.unregistered, { enabled: direction === 'dial_in', refetchMs: POLL_MS });
  return (
    <>
      <div className={styles['row']}>
        <span id="who-opens">{t('whoOpens')}</span>
        <Segmented
          aria-labelledby="who-opens"
          value={direction}
          options={(['dial_in', 'dial_out'] as const).map((value) => ({ value, label: t(value) }))}
          onChange={(chosen) => setUrl({ direction: chosen })}
        />
      </div>
      {direction === 'dial_in' ? (
        <>
          <PanelState query={overview} lines={3}>
            {({ door }) => <DoorCard door={door} />}
          </PanelState>
          <section aria-label={t('whoCalled')}>
            <h3>{t('whoCalled')}</h3>
            <PanelState query={callers} lines={3}>
              {(data) => <CallerList callers={data} onChoose={(caller) => setUrl({ ...caller, step: 'register' })} />}
            </PanelState>
          </section>
        </>
      ) : null}
      <div className={styles['actions']}>
        <Button type={direction === 'dial_out' ? 'primary' : 'default'} onClick={() => setUrl({ step: 'register' })}>
          {direction === 'dial_out' ? t('next') : t('knowNumber')}
        </Button>
      </div>
    </>
  );
}
