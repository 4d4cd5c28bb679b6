import { approval, type ApprovalRow } from '@hes/contract/action/approval.ts';
import { RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { approvalExport } from '@hes/contract/transfer/orders.ts';
import { Alert, Button, Input, Modal } from 'antd';
import { Check, X } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay, useMe } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter } from '#shared/table/list-page.tsx';
import { OwnClicks } from '#shared/table/row-actions.tsx';
import { dateTime } from '#shared/time/format.ts';
import { Num, Properties } from '#shared/ui/text.tsx';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { texts } from './messages.ts';
import { APPROVAL } from './signs.ts';
import styles from './relay.module.css';

const POLL_MS = 5000;

interface Decision {
  row: ApprovalRow;
  decision: 'approve' | 'reject';
}

function DecisionDialog({ row, decision, onClose, onDecided }: Decision & { onClose: () => void; onDecided: () => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const id = useId();
  const [comment, setComment] = useState('');
  const decide = useApiMutation(approval.decide, { success: onDecided });
  const isApproval = decision === 'approve';
  return (
    <Modal
      open
      centered
      title={t(isApproval ? 'approveTitle' : 'rejectTitle', { operation: say(RELAY_OPERATION_TEXT[row.operation]), count: row.meters })}
      okText={t(decision)}
      cancelText={t('cancel')}
      okButtonProps={{ danger: isApproval && row.operation === 'disconnect' }}
      confirmLoading={decide.isPending}
      onOk={() => decide.mutate({ params: { id: row.id }, body: { decision, comment } })}
      onCancel={onClose}
    >
      <div className={styles['form']}>
        <p className={styles['effect']}>{t(isApproval ? 'approveEffect' : 'rejectEffect')}</p>
        <Properties
          items={[
            { label: t('requestedBy'), value: row.requestedByName },
            { label: t('reason'), value: row.reason },
            { label: t('workOrder'), value: row.workOrder },
            { label: t('load'), value: <Num value={row.kw} decimals={1} unit="kW" /> },
            { label: t('protected'), value: <Num value={row.protected} /> },
            { label: t('meterSn'), value: `${row.examples.join(', ')}${row.meters > row.examples.length ? ' …' : ''}` },
          ]}
        />
        <div>
          <label className={styles['label']} htmlFor={`${id}-comment`}>
            {t('comment')}
          </label>
          <Input id={`${id}-comment`} maxLength={256} value={comment} onChange={(event) => setComment(event.target.value)} />
        </div>
        {decide.error ? <Alert type="error" showIcon title={decide.error.message} role="alert" /> : null}
      </div>
    </Modal>
  );
}

/** Orders that await approval, and past decisions. */
export function Approvals({
  page,
  size,
  onPage,
  onOpen,
}: {
  page: string | undefined;
  size: string | undefined;
  onPage: (page: string, size: string) => void;
  onOpen: (taskId: string) => void;
}) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const me = useMe();
  const [open, setOpen] = useState<Decision>();
  const list = useApiQuery(approval.list, { query: { page, size }, keep: true, refetchMs: POLL_MS });
  const mayDecide = may(approval.decide);
  const myId = me.data?.id;
  const columns = useMemo(
    (): Column<ApprovalRow>[] => [
      { key: 'state', title: t('status'), width: 124, cell: (row) => <StateOf sign={APPROVAL[row.state]} /> },
      { key: 'operation', title: t('operation'), width: 150, cell: (row) => say(RELAY_OPERATION_TEXT[row.operation]) },
      { key: 'meters', title: t('supplies'), width: 84, align: 'right', cell: (row) => <Num value={row.meters} /> },
      { key: 'kw', title: 'kW', width: 84, align: 'right', cell: (row) => <Num value={row.kw} decimals={1} /> },
      { key: 'protected', title: t('protected'), width: 96, align: 'right', cell: (row) => <Num value={row.protected} /> },
      { key: 'reason', title: t('reason'), cell: (row) => row.reason },
      { key: 'workOrder', title: t('workOrder'), width: 130, mono: true, cell: (row) => row.workOrder },
      { key: 'requestedBy', title: t('requestedBy'), width: 130, cell: (row) => row.requestedByName ?? '—' },
      { key: 'createdAt', title: t('requestedAt'), width: 152, cell: (row) => dateTime(row.createdAt) },
      { key: 'expiresAt', title: t('expiresAt'), width: 152, cell: (row) => (row.state === 'pending' ? dateTime(row.expiresAt) : '—') },
      { key: 'decidedBy', title: t('decidedBy'), width: 130, cell: (row) => row.decidedByName ?? '—' },
      {
        key: 'decide',
        title: <span aria-hidden="true" />,
        width: 190,
        cell: (row) =>
          row.state !== 'pending' || !mayDecide ? null : row.requestedBy === myId ? (
            <small className={styles['dim']}>{t('own')}</small>
          ) : (
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
          ),
      },
    ],
    [t, say, mayDecide, myId],
  );
  return (
    <Panel flush className={styles['list']} label={t('approvals')}>
      <FilterBar>
        <ExportButton routes={approvalExport} filter={{}} columns={columns} />
      </FilterBar>
      <PanelState query={list} lines={10}>
        {(data) => (
          <>
            <DataTable<ApprovalRow>
              label={t('approvals')}
              columns={columns}
              rows={data.items}
              rowKey={(row) => row.id}
              onSelect={(row) => onOpen(row.taskId)}
              empty={<Empty kind="fine" text={t('noApprovals')} />}
            />
            <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={onPage} />
          </>
        )}
      </PanelState>
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
