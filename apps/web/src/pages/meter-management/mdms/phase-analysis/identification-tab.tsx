import { phase } from '@hes/contract/analysis/phase.ts';
import { to } from '@hes/contract/page/links.ts';
import { App, Button, Progress } from 'antd';
import { CheckCheck, ScanSearch } from 'lucide-react';
import { Link } from 'react-router';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { useComputation } from '#domain/computation/use-computation.ts';
import { ListTab } from '#kit/list/list-tab.tsx';
import type { TabProps } from './address.ts';
import { texts } from './messages.ts';
import { phaseList, usePhaseSummary } from './phase-list.tsx';
import styles from './phase.module.css';

/** Days of load profile B that the server requires. */
const DAYS_NEEDED = 7;

/** The state of the identification, and the orders for the whole transformer. */
function Head({ transformerId, changed }: { transformerId: string; changed: () => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const failure = (error: Error) => void message.error(error.message, 0);
  const { data: counts } = usePhaseSummary(transformerId);
  const { running, ended, follow } = useComputation(counts?.taskId, phase.list.path);
  const identify = useApiMutation(phase.identify, { success: ({ taskId }) => follow(taskId), failure });
  const acceptAll = useApiMutation(phase.accept, {
    success: ({ accepted }) => {
      void message.success(t('accepted', { count: accepted }));
      changed();
    },
    failure,
  });
  return (
    <>
      <span className={styles['note']}>
        {running ? (
          <span className={styles['progress']} role="status">
            <Progress percent={(100 * running.done) / running.total} size="small" showInfo={false} />
            {t('identifying', { step: Math.min(running.done + 1, running.total), steps: running.total })}
          </span>
        ) : ended?.state === 'failed' ? (
          <span role="alert">{t('identifyFailed')}</span>
        ) : counts?.computedAt ? (
          t('lastComputed', { at: dateTime(counts.computedAt) })
        ) : counts ? (
          <>
            {`${t('neverComputed')} ${t('neverComputedHint', { days: counts.daysWithData })} `}
            {counts.daysWithData < DAYS_NEEDED ? <Link to={to.plans()}>{t('toPlans')}</Link> : null}
          </>
        ) : (
          t('purposeIdentify')
        )}
      </span>
      {may(phase.accept) ? (
        <Button
          icon={<CheckCheck size={15} aria-hidden="true" />}
          disabled={!counts?.verySure}
          loading={acceptAll.isPending}
          onClick={() => acceptAll.mutate({ body: { transformerId } })}
        >
          {t('acceptAll', { count: counts?.verySure ?? 0 })}
        </Button>
      ) : null}
      {may(phase.identify) ? (
        <Button
          type="primary"
          icon={<ScanSearch size={15} aria-hidden="true" />}
          loading={identify.isPending || running !== undefined}
          onClick={() => identify.mutate({ params: { transformerId } })}
        >
          {t('identify')}
        </Button>
      ) : null}
    </>
  );
}

export const IdentificationTab = ({ transformerId }: TabProps) => (
  <ListTab list={phaseList} head={({ changed }) => <Head transformerId={transformerId} changed={changed} />} />
);
