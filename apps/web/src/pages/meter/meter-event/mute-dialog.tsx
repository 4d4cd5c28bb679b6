import { deviceSn } from '@hes/contract/text/device-name.ts';
import { event, type EventRow } from '@hes/contract/event/event.ts';
import { Segmented } from 'antd';
import { BellOff } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { serverNow } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

const HOUR_MS = 3_600_000;
const HOURS_OFFERED = [8, 24, 168, 720];
const REASON_MAX = 256;
const HOURS_OF_DAY = 24;

/** Mutes one code of one device for a time, with a reason. */
export function MuteDialog({ row, onClose, onDone }: DialogProps<EventRow>) {
  const t = useMessages(texts);
  const nameOf = useCodeName();
  const [hours, setHours] = useState(HOURS_OF_DAY);
  const mute = useApiMutation(event.mute, { success: () => onDone() });
  const textOf = (count: number) => (count < HOURS_OF_DAY ? t('hours', { count }) : t('days', { count: count / HOURS_OF_DAY }));
  return (
    <DangerDialog
      title={t('muteTitle', { code: nameOf(row), sn: deviceSn(row) })}
      effect={t('muteEffect')}
      action={t('mute')}
      icon={<BellOff size={20} aria-hidden="true" />}
      about={
        <div className={styles['for']}>
          <span>{t('muteFor')}</span>
          <Segmented
            aria-label={t('muteFor')}
            value={hours}
            options={HOURS_OFFERED.map((value) => ({ value, label: textOf(value) }))}
            onChange={(value) => setHours(value)}
          />
        </div>
      }
      reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
      busy={mute.isPending}
      failure={mute.error?.message}
      onConfirm={(reason) =>
        mute.mutate({ body: { eventId: row.id, until: new Date(serverNow() + hours * HOUR_MS).toISOString(), reason } })
      }
      onClose={onClose}
    />
  );
}
