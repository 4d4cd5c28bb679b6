import { approval, type ApprovalRow } from '@hes/contract/action/approval.ts';
import { RELAY_OPERATION_TEXT } from '@hes/contract/action/relay-rules.ts';
import { Alert, Button, Input, Modal } from 'antd';
import { Check, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import { Num, Properties } from '#kit/basics/text.tsx';
import { useReload } from '#core/api/use-reload.ts';
import { texts } from './messages.ts';
import styles from './relay.module.css';

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

/** The buttons of a pending order; users do not decide on their own ones. */
export function Decide({ row }: { row: ApprovalRow }) {
  const t = useMessages(texts);
  const may = useMay();
  const me = useMe();
  const reload = useReload(approval.list);
  const [decision, setDecision] = useState<Decision['decision']>();
  if (row.state !== 'pending' || !may(approval.decide)) return null;
  if (row.requestedBy === me.data?.id) return <small className={styles['dim']}>{t('own')}</small>;
  const decided = () => {
    setDecision(undefined);
    reload();
  };
  return (
    <OwnClicks>
      <span className={styles['decide']}>
        <Button size="small" type="primary" icon={<Check size={13} aria-hidden="true" />} onClick={() => setDecision('approve')}>
          {t('approve')}
        </Button>
        <Button size="small" icon={<X size={13} aria-hidden="true" />} onClick={() => setDecision('reject')}>
          {t('reject')}
        </Button>
      </span>
      {decision ? <DecisionDialog row={row} decision={decision} onClose={() => setDecision(undefined)} onDecided={decided} /> : null}
    </OwnClicks>
  );
}
