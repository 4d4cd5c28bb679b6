import { repeatRight } from '@hes/contract/task/order.ts';
import { task as taskRoutes, type TaskRow } from '@hes/contract/task/task.ts';
import { App, Button } from 'antd';
import { Repeat } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ActionMenu } from '#kit/basics/action-menu.tsx';
import { texts } from './texts.ts';

/** Repeats a finished reading for all its devices or only for the failed ones, and opens the new run. */
export function Rerun({ run, onOpen }: { run: TaskRow; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const queries = useQueryClient();
  const rerun = useApiMutation(taskRoutes.rerun, {
    success: ({ taskId }) => {
      void queries.invalidateQueries({ queryKey: [taskRoutes.list.path] });
      onOpen(taskId);
    },
    failure: (error) => void message.error(error.message),
  });
  const right = repeatRight(run);
  if (right === undefined || !may({ allow: right })) return null;
  const failed = run.total - run.ok;
  const items = [
    { key: 'all' as const, label: t('rerunAll', { count: run.total }) },
    { key: 'failed' as const, label: t('rerunFailed', { count: failed }), disabled: failed === 0 },
  ].map((item) => ({ ...item, onClick: () => rerun.mutate({ params: { id: run.id }, body: { only: item.key } }) }));
  return (
    <ActionMenu menu={{ items }}>
      <Button icon={<Repeat size={14} aria-hidden="true" />} loading={rerun.isPending} aria-haspopup="menu">
        {t('rerun')}
      </Button>
    </ActionMenu>
  );
}

/** A link to the run that this one repeats. */
export function Origin({ id, onOpen }: { id: string; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  return (
    <Button type="link" size="small" icon={<Repeat size={12} aria-hidden="true" />} onClick={() => onOpen(id)}>
      {t('repeats', { id })}
    </Button>
  );
}
