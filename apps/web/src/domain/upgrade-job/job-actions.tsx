import { UPGRADE_JOB_ENDS } from '@hes/contract/states/upgrade.ts';
import { upgradeJob as routes, type UpgradeJobRow } from '@hes/contract/upgrade/job.ts';
import { App, Button, Popconfirm } from 'antd';
import { CirclePause, CirclePlay, SkipForward, Square } from 'lucide-react';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useReload } from '#core/api/use-reload.ts';
import { messages } from './messages.ts';

interface JobActionsProps {
  job: UpgradeJobRow;
  /** Icons only, for a table row. */
  small?: boolean;
}

/** The actions that the state of an upgrade allows. */
export function JobActions({ job, small }: JobActionsProps) {
  const t = useMessages(messages);
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const events = { success: reload, failure: (error: Error) => void message.error(error.message, 0) };
  const pause = useApiMutation(routes.pause, events);
  const resume = useApiMutation(routes.resume, events);
  const stop = useApiMutation(routes.stop, events);
  const next = useApiMutation(routes.continueRing, events);
  if (!may(routes.pause) || UPGRADE_JOB_ENDS.includes(job.state)) return null;
  const params = { id: job.id };
  const button = (order: { isPending: boolean; mutate: (of: { params: { id: string } }) => void }, label: string, Icon: typeof Square) => (
    <Button
      size={small ? 'small' : 'middle'}
      {...(small ? { type: 'text' as const, 'aria-label': `${label} ${job.name}`, title: label } : {})}
      icon={<Icon size={15} aria-hidden="true" />}
      loading={order.isPending}
      onClick={() => order.mutate({ params })}
    >
      {small ? null : label}
    </Button>
  );
  return (
    <>
      {job.state === 'running' ? button(pause, t('pause'), CirclePause) : null}
      {job.state === 'paused' || job.state === 'halted' ? button(resume, t('resume'), CirclePlay) : null}
      {job.state === 'waiting_ring' || (job.state === 'running' && job.watchMinutes > 0)
        ? button(next, t('continueRing'), SkipForward)
        : null}
      <Popconfirm
        title={t('stopTitle', { name: job.name })}
        description={t('stopHint')}
        okText={t('stop')}
        cancelText={t('cancel')}
        onConfirm={() => stop.mutate({ params })}
      >
        <Button
          danger
          size={small ? 'small' : 'middle'}
          {...(small ? { type: 'text' as const, 'aria-label': `${t('stop')} ${job.name}`, title: t('stop') } : {})}
          icon={<Square size={13} aria-hidden="true" />}
          loading={stop.isPending}
        >
          {small ? null : t('stop')}
        </Button>
      </Popconfirm>
    </>
  );
}
