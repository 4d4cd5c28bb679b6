import { dcu } from '@hes/contract/asset/dcu.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { App, Badge, Button, Drawer } from 'antd';
import { PhoneIncoming } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { dateTime } from '#core/time/format.ts';
import { Num } from '#kit/basics/text.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { Caller } from './dcu-form.tsx';
import { texts } from './texts.ts';
import { useSessionColumns } from './sessions-tab.tsx';
import styles from './detail.module.css';

type CallerRow = ResponseOf<typeof dcu.unregistered>['items'][number];
const POLL_MS = 30_000;

/** Unregistered callers, and connections without identification. */
export function UnregisteredButton({ onRegister }: { onRegister: ((caller: Caller) => void) | undefined }) {
  const t = useMessages(texts);
  const [open, setOpen] = useState(false);
  const query = useApiQuery(dcu.unregistered, { refetchMs: POLL_MS });
  const { message } = App.useApp();
  const forget = useApiMutation(dcu.forgetCaller, {
    success: () => void query.refetch(),
    failure: (error) => void message.error(error.message, 0),
  });
  const sessionColumns = useSessionColumns();
  const columns: Column<CallerRow>[] = [
    { key: 'claimedName', title: t('claimed'), width: 160, mono: true, cell: (row) => row.claimedName },
    { key: 'systemTitle', title: t('systemTitle'), width: 160, mono: true, cell: (row) => row.systemTitle ?? '—' },
    { key: 'remote', title: t('remote'), width: 150, low: true, mono: true, cell: (row) => row.remote },
    {
      key: 'timesSeen',
      title: t('timesSeen'),
      width: 80,
      align: 'right',
      value: (row) => row.timesSeen,
      cell: (row) => <Num value={row.timesSeen} />,
    },
    { key: 'firstSeenAt', title: t('firstSeen'), width: 164, low: true, cell: (row) => dateTime(row.firstSeenAt) },
    { key: 'lastSeenAt', title: t('lastSeen'), width: 164, cell: (row) => dateTime(row.lastSeenAt) },
    ...(onRegister
      ? [
          {
            key: 'register',
            title: <span className="visually-hidden">{t('registerThis')}</span>,
            width: 250,
            cell: (row: CallerRow) => (
              <span className={styles['callerActions']}>
                <Button
                  size="small"
                  type="primary"
                  aria-label={`${t('registerThis')} ${row.claimedName}`}
                  onClick={() => {
                    setOpen(false);
                    onRegister({ sn: row.claimedName, systemTitle: row.systemTitle });
                  }}
                >
                  {t('registerThis')}
                </Button>
                <Button
                  size="small"
                  type="text"
                  aria-label={`${t('forget')} ${row.claimedName}`}
                  onClick={() => forget.mutate({ query: { name: row.claimedName } })}
                >
                  {t('forget')}
                </Button>
              </span>
            ),
          },
        ]
      : []),
  ];
  return (
    <>
      <Badge count={query.data?.items.length ?? 0} size="small" offset={[-4, 2]} className={styles['unknownButton'] ?? ''}>
        <Button icon={<PhoneIncoming size={15} aria-hidden="true" />} onClick={() => setOpen(true)}>
          {t('unregistered')}
        </Button>
      </Badge>
      <Drawer open={open} size={1180} title={t('unregistered')} onClose={() => setOpen(false)}>
        <p className={styles['hint']}>{t('unregisteredHint')}</p>
        <PanelState
          query={query}
          isEmpty={(data) => data.items.length + data.anonymous.length === 0}
          empty={<Empty kind="fine" text={t('noUnregistered')} />}
        >
          {(data) => (
            <>
              {data.items.length > 0 ? (
                <DataTable
                  label={t('unregistered')}
                  columns={columns}
                  rows={data.items}
                  rowKey={(row) => `${row.claimedName} ${row.remote}`}
                />
              ) : null}
              {data.anonymous.length > 0 ? (
                <>
                  <h3 className={styles['section']}>{t('anonymous')}</h3>
                  <DataTable label={t('anonymous')} columns={sessionColumns} rows={data.anonymous} rowKey={(row) => row.id} />
                </>
              ) : null}
            </>
          )}
        </PanelState>
      </Drawer>
    </>
  );
}
