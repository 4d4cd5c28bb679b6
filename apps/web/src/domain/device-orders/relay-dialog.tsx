import { relay, type BlastRadius } from '@hes/contract/action/relay.ts';
import type { RelayOperation } from '@hes/contract/action/relay-rules.ts';
import { Alert, Button, Checkbox, Input, Modal } from 'antd';
import { Power, Unplug } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation, useApiPreview } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { judgeTyped } from '#kit/dialog/typed-words.ts';
import { Sn } from '#kit/basics/text.tsx';
import { Skeleton } from '#kit/basics/states.tsx';
import styles from './relay-dialog.module.css';
import shared from './order-dialog.module.css';
import { relayOrderTexts, type T } from './relay-order.messages.ts';

const WIDTH = 620;
const SHOWN = 200;
const TITLE = { disconnect: 'disconnectTitle', connect: 'connectTitle', arm: 'armTitle' } as const;
const EFFECT = { disconnect: 'disconnectEffect', connect: 'connectEffect', arm: 'armEffect' } as const;

type Target = BlastRadius['targets'][number];

/** From this number of supplies on, the user must type the operation and the number. */
const TYPED_FROM = 2;

function Figures({
  t,
  chosen,
  skipped,
  isIncluded,
  transformers,
}: {
  t: T;
  chosen: Target[];
  skipped: number;
  isIncluded: boolean;
  transformers: number;
}) {
  const kw = chosen.reduce((sum, target) => sum + target.kw, 0);
  return (
    <dl className={styles['figures']}>
      {[
        [figure(chosen.length), t('willSwitch')],
        [figure(skipped), t(isIncluded ? 'protectedIncluded' : 'skipped')],
        [`${figure(kw, 1)} kW`, t('load')],
        [figure(transformers), t('transformers', { count: transformers })],
      ].map(([value, label]) => (
        <div key={label}>
          <dd>{value}</dd>
          <dt>{label}</dt>
        </div>
      ))}
    </dl>
  );
}

function Supplies({ t, radius, isIncluded }: { t: T; radius: BlastRadius; isIncluded: boolean }) {
  const why = { no_relay: t('no_relay'), not_bound: t('not_bound'), mode: t('modeForbids'), already: t('already') };
  const rows = [
    ...radius.targets.filter((target) => isIncluded || !target.isProtected),
    ...(isIncluded ? [] : radius.targets.filter((target) => target.isProtected)),
  ];
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a list that scrolls is reached by keys, too
    <ul className={styles['supplies']} tabIndex={0} aria-label={t('supplies')}>
      {rows.slice(0, SHOWN).map((target) => (
        <li key={target.meterId} data-skipped={target.isProtected && !isIncluded}>
          <Sn sn={target.sn} />
          <span>
            <b>{target.customerName ?? '—'}</b> {target.address}
          </span>
          {target.isProtected ? <em>{t(isIncluded ? 'protected' : 'protectedSkipped')}</em> : <span>{figure(target.kw, 1)} kW</span>}
        </li>
      ))}
      {rows.length > SHOWN ? <li>{t('more', { count: rows.length - SHOWN })}</li> : null}
      {radius.excluded.map((row) => (
        <li key={row.meterId} data-skipped="true">
          <Sn sn={row.sn} />
          <span />
          <em>{why[row.reason]}</em>
        </li>
      ))}
    </ul>
  );
}

interface RelayDialogProps {
  operation: RelayOperation;
  meterIds: string[];
  onClose: () => void;
  onStarted: (taskId: string) => void;
}

/** Shows which supplies an order affects, and asks for reason and work order. The focus starts on Cancel. */
export function RelayDialog({ operation, meterIds, onClose, onStarted }: RelayDialogProps) {
  const t = useMessages(relayOrderTexts);
  const id = useId();
  const preview = useApiPreview(relay.preview, { meterIds, operation });
  const order = useApiMutation(relay.order, { success: ({ taskId }) => onStarted(taskId) });
  const [isIncluded, setIncluded] = useState(false);
  const [fields, setFields] = useState({ reason: '', workOrder: '', words: '' });
  const [isTried, setTried] = useState(false);
  /** Idempotency key of the dialog: repeated clicks create one order. */
  const [requestId] = useState(() => crypto.randomUUID());

  const radius = preview.data;
  const isCut = operation === 'disconnect';
  const chosen = (radius?.targets ?? []).filter((target) => !isCut || isIncluded || !target.isProtected);
  /** All chosen meters, until the preview returns the ones that the order affects. */
  const count = radius === undefined ? meterIds.length : chosen.length;
  const requiresApproval = isCut && chosen.some((target) => target.requiresApproval);
  const needsSecond = radius !== undefined && (requiresApproval || chosen.length > radius.soloRemaining);
  const kw = chosen.reduce((sum, target) => sum + target.kw, 0);
  const isAbove = isCut && radius !== undefined && (chosen.length > radius.remaining.meters || kw > radius.remaining.kw);
  const expected = `${operation.toUpperCase()} ${chosen.length}`;
  const isTyped = isCut && chosen.length >= TYPED_FROM;
  const typed = judgeTyped(fields.words, expected);
  const verb = t(operation);
  const wrong = {
    reason: fields.reason.trim() === '',
    workOrder: fields.workOrder.trim() === '',
    words: isTyped && !typed.isRight,
  };
  const isShownWrong = (name: keyof typeof fields) => wrong[name] && (name === 'words' ? typed.isShownWrong : isTried);
  const send = () => {
    setTried(true);
    if (Object.values(wrong).some(Boolean) || chosen.length === 0) return;
    const { reason, workOrder } = fields;
    order.mutate({ body: { requestId, operation, reason, workOrder, meterIds: chosen.map((target) => target.meterId) } });
  };
  const field = (name: keyof typeof fields, label: string, missing = t('missing')) => (
    <div>
      <label className={styles['label']} htmlFor={`${id}-${name}`}>
        {label}
      </label>
      <Input
        id={`${id}-${name}`}
        autoComplete="off"
        value={fields[name]}
        status={isShownWrong(name) ? 'error' : ''}
        aria-invalid={isShownWrong(name)}
        aria-describedby={`${id}-${name}-missing`}
        onChange={(event) => setFields((all) => ({ ...all, [name]: event.target.value }))}
      />
      <p id={`${id}-${name}-missing`} className={shared['missing']}>
        {isShownWrong(name) ? missing : null}
      </p>
    </div>
  );

  return (
    <Modal
      open
      centered
      width={WIDTH}
      closable={false}
      onCancel={onClose}
      title={
        <span className={styles['head']}>
          <span className={styles['badge']} data-cut={isCut}>
            {isCut ? <Unplug size={20} aria-hidden="true" /> : <Power size={20} aria-hidden="true" />}
          </span>
          {t(TITLE[operation], { count })}
        </span>
      }
      footer={
        <div className={shared['footer']}>
          <span>{t('recorded')}</span>
          <Button autoFocus onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button type="primary" danger={isCut} disabled={chosen.length === 0 || wrong.words} loading={order.isPending} onClick={send}>
            {t('button', { verb, count })}
          </Button>
        </div>
      }
    >
      <p className={styles['effect']}>{t(EFFECT[operation])}</p>
      {preview.error ? <Alert type="error" showIcon title={preview.error.message} role="alert" /> : null}
      {radius === undefined && !preview.error ? <Skeleton lines={6} /> : null}
      {radius ? (
        <div className={styles['form']}>
          <Figures t={t} chosen={chosen} skipped={radius.protected} isIncluded={isIncluded || !isCut} transformers={radius.transformers} />
          <Supplies t={t} radius={radius} isIncluded={isIncluded || !isCut} />
          {isCut && radius.protected > 0 ? (
            <Checkbox checked={isIncluded} onChange={(event) => setIncluded(event.target.checked)}>
              {t('includeProtected')}
            </Checkbox>
          ) : null}
          {radius.targets.length === 0 ? <Alert type="info" showIcon title={t('nobody')} /> : null}
          {isAbove ? (
            <Alert
              type="warning"
              showIcon
              title={t('aboveCeiling', { meters: radius.remaining.meters, kw: figure(radius.remaining.kw, 0) })}
            />
          ) : null}
          {needsSecond && chosen.length > 0 ? <Alert type="warning" showIcon title={t('needsSecond')} /> : null}
          <div className={styles['two']}>
            {field('reason', t('reason'))}
            {field('workOrder', t('workOrder'))}
          </div>
          {isTyped ? field('words', t('typed', { words: expected }), t('wrongWords')) : null}
          {order.error ? <Alert type="error" showIcon title={order.error.message} role="alert" /> : null}
        </div>
      ) : null}
    </Modal>
  );
}
