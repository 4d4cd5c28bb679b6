import { nameText } from '@hes/contract/core/text.ts';
import { dcuConfig } from '@hes/contract/action/dcu-config.ts';
import { parameterOf } from '@hes/contract/action/dcu-parameter.ts';
import { Select } from 'antd';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { texts } from './messages.ts';
import type { Changes } from './parameter-form.tsx';
import styles from './dcu-config.module.css';

const WATCH_MINUTES = [0, 1, 10, 60, 240];
const USUAL_MINUTES = 10;
const WAIT_HOURS = [0, 1, 8, 24, 72];

interface WriteDialogProps {
  dcuIds: string[];
  changes: Changes;
  onOrdered: (task: string) => void;
  onClose: () => void;
}

/** Shows the changes and the number of DCUs, and asks how long the first DCUs are observed before the others follow. */
export function WriteDialog({ dcuIds, changes, onOrdered, onClose }: WriteDialogProps) {
  const t = useMessages(texts);
  const say = useSay();
  const [minutes, setMinutes] = useState(USUAL_MINUTES);
  // Orders in rings, and changes that make the DCU reconnect, always wait for offline DCUs.
  const mustWait = dcuIds.length > 1 || Object.keys(changes).some((key) => parameterOf(key)?.risk === 'link');
  const [waitHours, setWaitHours] = useState(mustWait ? 1 : 0);
  const write = useApiMutation(dcuConfig.write, { success: ({ taskId }) => onOrdered(taskId) });
  const changed = Object.keys(changes);
  const canaryS = dcuIds.length > 1 ? minutes * 60 : 0;
  return (
    <DangerDialog
      title={t('writeTitle', { values: changed.length, dcus: dcuIds.length })}
      effect={t(changed.some((key) => parameterOf(key)?.risk === 'link') ? 'linkWarning' : 'writeEffect')}
      action={t('write')}
      about={
        <>
          {changed.map((key) => (
            <p key={key}>
              {say(parameterOf(key)?.text ?? nameText(key))}: <b className="mono">{changes[key]}</b>
            </p>
          ))}
          {dcuIds.length > 1 ? (
            <label className={styles['watch']}>
              {t('watch')}
              <Select
                aria-label={t('watch')}
                value={minutes}
                options={WATCH_MINUTES.map((value) => ({
                  value,
                  label: value === 0 ? t('watchNot') : t('watchMinutes', { count: value }),
                }))}
                onChange={setMinutes}
              />
            </label>
          ) : null}
          <label className={styles['watch']}>
            {t('offline')}
            <Select
              aria-label={t('offline')}
              value={waitHours}
              options={WAIT_HOURS.filter((hours) => hours > 0 || !mustWait).map((hours) => ({
                value: hours,
                label: hours === 0 ? t('failNow') : t('waitHours', { hours }),
              }))}
              onChange={setWaitHours}
            />
          </label>
        </>
      }
      reason={{ label: t('reason'), max: 256, missing: t('reasonMissing') }}
      busy={write.isPending}
      failure={write.error?.message}
      onConfirm={(reason) => write.mutate({ body: { dcuIds, values: changes, reason, canaryS, waitHours } })}
      onClose={onClose}
    />
  );
}
