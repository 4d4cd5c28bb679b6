import { heldCall, type HeldCallRow } from '@hes/contract/action/held-call.ts';
import { nameText, type Text } from '@hes/contract/core/text.ts';
import { HELD_CALL_TEXT } from '@hes/contract/text/held-call-text.ts';
import { Button } from 'antd';
import { Check, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import { dateTime } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Num } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { HELD_CALL } from './signs.ts';
import styles from './relay.module.css';

const POLL_MS = 5000;

const callText = ({ route, summary }: HeldCallRow): Text => HELD_CALL_TEXT[route] ?? nameText(summary);

interface Decision {
  row: HeldCallRow;
  decision: 'approve' | 'reject';
}

function DecisionDialog({ row, decision, onClose, onDecided }: Decision & { onClose: () => void; onDecided: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const decide = useApiMutation(heldCall.decide, { success: onDecided });
  const isApproval = decision === 'approve';
  return (
    <DangerDialog
      title={t(isApproval ? 'approveCall' : 'rejectCall', { call: say(callText(row)) })}
      effect={t(isApproval ? 'approveCallEffect' : 'rejectEffect', { name: row.requestedByName ?? '—' })}
      action={t(decision)}
      about={row.reason}
      busy={decide.isPending}
      failure={decide.error?.message}
      onConfirm={() => decide.mutate({ params: { id: row.id }, body: { decision } })}
      onClose={onClose}
    />
  );
}

/** Dangerous calls above the limit of one user, except relay orders. Renders nothing when there are none. */
export function HeldCalls() {
  const t = useMessages(texts);
  const say = useSay();
  const [open, setOpen] = useState<Decision>();
  const list = useApiQuery(heldCall.list, { refetchMs: POLL_MS });
  const columns = useMemo(
    (): Column<HeldCallRow>[] => [
      { key: 'state', title: t('status'), width: 124, cell: (row) => <StateOf sign={HELD_CALL[row.state]} /> },
      { key: 'call', title: t('operation'), width: 260, cell: (row) => say(callText(row)) },
      { key: 'devices', title: t('devices'), width: 84, align: 'right', cell: (row) => <Num value={row.devices} /> },
      { key: 'reason', title: t('reason'), cell: (row) => row.reason ?? '—' },
      { key: 'requestedBy', title: t('requestedBy'), width: 130, cell: (row) => row.requestedByName ?? '—' },
      { key: 'createdAt', title: t('requestedAt'), width: 152, cell: (row) => dateTime(row.createdAt) },
      { key: 'decidedBy', title: t('decidedBy'), width: 130, cell: (row) => row.decidedByName ?? '—' },
      {
        key: 'decide',
        title: <span aria-hidden="true" />,
        width: 190,
        cell: (row) =>
          row.mayDecide ? (
            <OwnClicks>
              <span className={styles['decide']}>
                <Button
                  size="small"
                  type="primary"
                  icon={<Check size={13} aria-hidden="true" />}
                  onClick={() => setOpen({ row, decision: 'approve' })}
                >
                  {t('approve')}
                </Button>
                <Button size="small" icon={<X size={13} aria-hidden="true" />} onClick={() => setOpen({ row, decision: 'reject' })}>
                  {t('reject')}
                </Button>
              </span>
            </OwnClicks>
          ) : row.state === 'pending' ? (
            <small className={styles['dim']}>{t('own')}</small>
          ) : null,
      },
    ],
    [t, say],
  );
  const rows = list.data?.items ?? [];
  if (rows.length === 0) return null;
  return (
    <Panel flush label={t('heldCalls')}>
      <DataTable<HeldCallRow> label={t('heldCalls')} columns={columns} rows={rows} rowKey={(row) => row.id} />
      {open ? (
        <DecisionDialog
          {...open}
          onClose={() => setOpen(undefined)}
          onDecided={() => {
            setOpen(undefined);
            void list.refetch();
          }}
        />
      ) : null}
    </Panel>
  );
}
