import { sender, type SenderRow } from '@hes/contract/delivery/sender.ts';
import { App, Segmented } from 'antd';
import { useState } from 'react';
import { failureText } from '#core/api/errors.ts';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { serverNow } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import type { DialogProps } from '#kit/list/action.ts';
import { texts } from './messages.ts';

const HOUR_MS = 3_600_000;
const HOURS_OF_DAY = 24;
/** Times to choose from, in hours. */
const CHOICES = [1, 6, 24, 72, 144];

/** Asks how far back a sender begins again. */
export function ReplayDialog({ row, onDone, onClose }: DialogProps<SenderRow>) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const [hours, setHours] = useState(HOURS_OF_DAY);
  const replay = useApiMutation(sender.replay, {
    success: () => {
      void message.success(t('replayed', { name: row.name }));
      onDone();
    },
  });
  const labelOf = (count: number) =>
    count < HOURS_OF_DAY * 2 ? t('hours', { count }) : t('days', { count: Math.round(count / HOURS_OF_DAY) });
  return (
    <DangerDialog
      title={t('replayTitle', { name: row.name })}
      effect={t('replayEffect')}
      about={
        <Segmented
          aria-label={t('replayFrom')}
          value={hours}
          options={CHOICES.map((value) => ({ value, label: labelOf(value) }))}
          onChange={setHours}
        />
      }
      action={t('replay')}
      busy={replay.isPending}
      failure={replay.error ? failureText(replay.error) : undefined}
      onConfirm={() => replay.mutate({ params: { id: row.id }, body: { since: new Date(serverNow() - hours * HOUR_MS).toISOString() } })}
      onClose={onClose}
    />
  );
}
