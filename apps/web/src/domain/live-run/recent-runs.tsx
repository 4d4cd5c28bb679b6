import { task } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';
import { Button, Dropdown } from 'antd';
import { History } from 'lucide-react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { taskSign } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

export const SHOWN_RUNS = 20;

export interface RecentProps {
  /** Limits the list to runs of these kinds, separated by commas; undefined: all runs of the user. */
  kind?: string | undefined;
}

/** The last runs of the user; a click opens one again. */
export function RecentRuns({ kind, current, onOpen }: RecentProps & { current: string | undefined; onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const say = useSay();
  const runs = useApiQuery(task.list, { query: { mine: 'true', kinds: kind, size: SHOWN_RUNS } });
  const items = (runs.data?.items ?? []).map((run) => ({
    key: run.id,
    label: (
      <span className={styles['run']}>
        <span className="mono">#{run.id}</span>
        <span>{say(taskName(run))}</span>
        <span className={styles['dim']}>{dateTime(run.createdAt).slice(5)}</span>
        <span>
          {run.ok} / {run.total}
        </span>
        <StateOf sign={taskSign(run)} />
      </span>
    ),
  }));
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
