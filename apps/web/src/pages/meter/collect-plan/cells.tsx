import { plan, type PlanRow } from '@hes/contract/reading/plan.ts';
import { App, Switch } from 'antd';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { OwnClicks } from '#kit/table/row-actions.tsx';
import { useReload } from '#core/api/use-reload.ts';
import { texts } from './messages.ts';
import styles from './plan.module.css';
import { useSentence } from './use-plan-preview.ts';

/** The description above, the seven fields below. */
export function ScheduleCell({ schedule }: { schedule: string }) {
  const sentence = useSentence(schedule);
  return (
    <span className={styles['cell']} title={`${sentence} · ${schedule}`}>
      {sentence}
      <code className="mono">{schedule}</code>
    </span>
  );
}

/** Enables or disables a plan at once. */
export function EnabledSwitch({ row }: { row: PlanRow }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const enable = useApiMutation(plan.enable, {
    success: useReload(plan.list),
    failure: (error) => void message.error(error.message, 0),
  });
  return (
    <OwnClicks>
      <Switch
        size="small"
        aria-label={`${t('enabled')} ${row.name}`}
        checked={row.enabled}
        disabled={!may(plan.enable)}
        loading={enable.isPending}
        onChange={(enabled) => enable.mutate({ params: { id: row.id }, body: { enabled } })}
      />
    </OwnClicks>
  );
}
