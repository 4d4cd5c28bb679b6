import { task } from '@hes/contract/task/task.ts';
import { Button, Dropdown } from 'antd';
import { History } from 'lucide-react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { dateTime } from '#shared/time/format.ts';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { TASK } from '#widgets/state-of/tables.ts';
import { onDemandKind } from '@hes/contract/action/read.ts';
import { texts } from './texts.ts';
import styles from './on-demand.module.css';

const SHOWN = 20;

/** My last runs: one press opens one again. */
export function RecentRuns({ current, onOpen }: { current: string | undefined; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const runs = useApiQuery(task.list, { query: { mine: 'true', size: SHOWN } });
  const items = (runs.data?.items ?? []).map((run) => {
    const kind = onDemandKind.safeParse(run.kind).data;
    return {
      key: run.id,
      label: (
        <span className={styles['run']}>
          <span className="mono">#{run.id}</span>
          <span>{kind ? t(kind) : run.title}</span>
          <span className={styles['dim']}>{dateTime(run.createdAt).slice(5)}</span>
          <span>
            {run.ok} / {run.total}
          </span>
          <StateOf sign={TASK[run.state]} />
        </span>
      ),
    };
  });
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      menu={{
        items: items.length > 0 ? items : [{ key: 'none', label: t('noRecent'), disabled: true }],
        selectedKeys: current ? [current] : [],
        onClick: ({ key }) => onOpen(key),
      }}
    >
      <Button icon={<History size={14} aria-hidden="true" />} aria-haspopup="menu">
        {t('recent')}
      </Button>
    </Dropdown>
  );
}
