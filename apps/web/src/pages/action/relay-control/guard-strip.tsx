import { relay, relayLimits, type RelayLimitStatus } from '@hes/contract/action/relay.ts';
import { Alert, App, Button, InputNumber, Modal } from 'antd';
import { Check, OctagonX, Play, SlidersHorizontal } from 'lucide-react';
import { useId, useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Num, Properties } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';
import styles from './relay.module.css';

const LIMITS = [
  ['maxMetersPerHour', 'maxMeters', 10_000],
  ['maxKwPerHour', 'maxKw', 300_000],
  ['maxMetersPerDay', 'maxMetersOfDay', 100_000],
  ['soloLimitPerHour', 'alone', 10],
  ['soloFromHour', 'aloneFrom', 24],
  ['soloToHour', 'aloneTo', 24],
  ['spreadS', 'spread', 3600],
] as const;
const ALL_DAY_H = 24;
const PERCENT = 100;

function Gauge({ used, max, text }: { used: number; max: number; text: string }) {
  const share = max === 0 ? PERCENT : Math.min(PERCENT, (used / max) * PERCENT);
  return (
    <span className={styles['gauge']} data-full={share >= PERCENT}>
      <i style={{ width: `${share}%` }} />
      <span>{text}</span>
    </span>
  );
}

function LimitsDialog({ guard, onClose, onSaved }: { guard: RelayLimitStatus; onClose: () => void; onSaved: () => void }) {
  const t = useMessages(texts);
  const id = useId();
  const [limits, setLimits] = useState(() => relayLimits.parse(guard));
  const save = useApiMutation(relay.changeLimits, { success: onSaved });
  return (
    <Modal
      open
      centered
      title={t('limitsTitle')}
      okText={t('save')}
      cancelText={t('cancel')}
      confirmLoading={save.isPending}
      onOk={() => save.mutate({ body: limits })}
      onCancel={onClose}
    >
      <div className={styles['form']}>
        <p className={styles['effect']}>{t('limitsNote')}</p>
        <div className={styles['two']}>
          {LIMITS.map(([key, label, max]) => (
            <div key={key}>
              <label className={styles['label']} htmlFor={`${id}-${key}`}>
                {t(label)}
              </label>
              <InputNumber
                id={`${id}-${key}`}
                className={styles['number'] ?? ''}
                min={0}
                max={max}
                precision={0}
                value={limits[key]}
                onChange={(value) => setLimits((all) => ({ ...all, [key]: value ?? 0 }))}
              />
            </div>
          ))}
        </div>
        {save.error ? <Alert type="error" showIcon title={save.error.message} role="alert" /> : null}
      </div>
    </Modal>
  );
}

/** Confirms looser limits that another user requested: shows the limits that would apply. */
function ConfirmDialog({
  pendingLimits,
  onClose,
  onDone,
}: {
  pendingLimits: NonNullable<RelayLimitStatus['pendingLimits']>;
  onClose: () => void;
  onDone: () => void;
}) {
  const t = useMessages(texts);
  const agree = useApiMutation(relay.approveLimits, { success: onDone });
  return (
    <Modal
      open
      centered
      title={t('confirmTitle')}
      okText={t('confirm')}
      cancelText={t('cancel')}
      confirmLoading={agree.isPending}
      onOk={() => agree.mutate({ body: { id: pendingLimits.id } })}
      onCancel={onClose}
    >
      <div className={styles['form']}>
        <p className={styles['effect']}>{t('confirmNote', { at: dateTime(pendingLimits.effectiveAt) })}</p>
        <Properties
          items={[
            { label: t('requestedBy'), value: pendingLimits.changedByName },
            ...LIMITS.map(([key, label]) => ({ label: t(label), value: <Num value={pendingLimits[key]} decimals={0} /> })),
          ]}
        />
        {agree.error ? <Alert type="error" showIcon title={agree.error.message} role="alert" /> : null}
      </div>
    </Modal>
  );
}

/** The remaining limits of this hour, and the emergency stop. */
export function GuardStrip({ guard, onChanged }: { guard: RelayLimitStatus; onChanged: () => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [dialog, setDialog] = useState<'stop' | 'release' | 'limits' | 'confirm'>();
  const me = useMe();
  const changed = () => {
    setDialog(undefined);
    onChanged();
  };
  const failure = (error: { message: string }) => void message.error(error.message, 0);
  const stop = useApiMutation(relay.stop, { success: changed, failure });
  const release = useApiMutation(relay.release, { success: changed, failure });
  const order = dialog === 'release' ? release : stop;
  const { pendingLimits, soloFromHour, soloToHour } = guard;
  const isAllDay = soloFromHour === 0 && soloToHour === ALL_DAY_H;
  const rule = isAllDay
    ? t('aloneRule', { count: guard.soloLimitPerHour })
    : t('aloneRuleHours', { count: guard.soloLimitPerHour, from: soloFromHour, to: soloToHour });
  return (
    <>
      {guard.stop ? (
        <Alert
          type="error"
          showIcon
          banner
          title={t('stoppedBanner', { who: guard.stop.byName ?? '—', at: dateTime(guard.stop.at), reason: guard.stop.reason })}
        />
      ) : null}
      <section className={styles['guard']} aria-label={t('ceiling')}>
        <b>{t('ceiling')}</b>
        <Gauge
          used={guard.usedMetersLastHour}
          max={guard.maxMetersPerHour}
          text={t('ofMeters', { used: guard.usedMetersLastHour, max: guard.maxMetersPerHour })}
        />
        <Gauge
          used={guard.usedKwLastHour}
          max={guard.maxKwPerHour}
          text={t('ofKw', { used: figure(guard.usedKwLastHour, 1), max: guard.maxKwPerHour })}
        />
        <Gauge
          used={guard.usedMetersLastDay}
          max={guard.maxMetersPerDay}
          text={t('ofDay', { used: guard.usedMetersLastDay, max: guard.maxMetersPerDay })}
        />
        <small>
          {pendingLimits === null
            ? rule
            : pendingLimits.isApproved
              ? t('comingLimits', { at: dateTime(pendingLimits.effectiveAt) })
              : t('waitingLimits', { name: pendingLimits.changedByName ?? '—' })}
        </small>
        {pendingLimits !== null && !pendingLimits.isApproved && pendingLimits.changedBy !== me.data?.id && may(relay.approveLimits) ? (
          <Button size="small" type="primary" icon={<Check size={13} aria-hidden="true" />} onClick={() => setDialog('confirm')}>
            {t('confirm')}
          </Button>
        ) : null}
        {may(relay.changeLimits) ? (
          <Button size="small" icon={<SlidersHorizontal size={13} aria-hidden="true" />} onClick={() => setDialog('limits')}>
            {t('limits')}
          </Button>
        ) : null}
        {guard.stop === null && may(relay.stop) ? (
          <Button size="small" danger icon={<OctagonX size={13} aria-hidden="true" />} onClick={() => setDialog('stop')}>
            {t('stopAll')}
          </Button>
        ) : null}
        {guard.stop !== null && may(relay.release) ? (
          <Button size="small" icon={<Play size={13} aria-hidden="true" />} onClick={() => setDialog('release')}>
            {t('release')}
          </Button>
        ) : null}
      </section>
      {dialog === 'limits' ? <LimitsDialog guard={guard} onClose={() => setDialog(undefined)} onSaved={changed} /> : null}
      {dialog === 'confirm' && pendingLimits !== null ? (
        <ConfirmDialog pendingLimits={pendingLimits} onClose={() => setDialog(undefined)} onDone={changed} />
      ) : null}
      {dialog === 'stop' || dialog === 'release' ? (
        <DangerDialog
          title={t(dialog === 'stop' ? 'stopAll' : 'release')}
          effect={t(dialog === 'stop' ? 'stopEffect' : 'releaseEffect')}
          action={t(dialog === 'stop' ? 'stopAll' : 'release')}
          reason={{ label: t('reason'), max: 256, missing: t('reasonMissing') }}
          busy={order.isPending}
          failure={undefined}
          onConfirm={(reason) => order.mutate({ body: { reason } })}
          onClose={() => setDialog(undefined)}
        />
      ) : null}
    </>
  );
}
