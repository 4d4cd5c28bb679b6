import type { TaskRow } from '@hes/contract/task/task.ts';
import { onDemandKind } from '@hes/contract/action/read.ts';
import { Link } from 'react-router';
import { StackBar } from '#shared/chart/bars.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { clockTime } from '#shared/time/format.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { texts } from './texts.ts';
import { useSummary } from './use-summary.ts';
import styles from './rail.module.css';

const SHOWN = 4;

function Task({ task }: { task: TaskRow }) {
  const t = useMessages(texts);
  const kind = onDemandKind.safeParse(task.kind).success && task.source === 'user' ? t('onDemand') : task.title;
  return (
    <li>
      <Link to={`/action/on-demand-reading?task=${task.id}`} className={styles['task']}>
        <span className={styles['taskName']}>
          {kind}{' '}
          <span className={styles['dim']}>
            #{task.id} · {clockTime(task.createdAt)}
          </span>
        </span>
        <span>
          {t('taskCounts', { done: task.done, total: task.total })}
          {task.failed > 0 ? <span className={styles['failed']}> · {t('taskFailed', { count: task.failed })}</span> : null}
        </span>
        <StackBar
          height={4}
          label={kind}
          rest={task.total - task.done}
          parts={[
            { value: task.ok, tone: 'run', label: t('taskCounts', { done: task.done, total: task.total }) },
            { value: task.failed, tone: 'red', label: t('taskFailed', { count: task.failed }) },
          ]}
        />
      </Link>
    </li>
  );
}

export function TasksPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  return (
    <Panel title={t('tasks')} note={query.data ? String(query.data.runningTasks.length) : null} className={styles['rail']}>
      <PanelState query={query} lines={3} isEmpty={(data) => data.runningTasks.length === 0} empty={<Empty small text={t('noTasks')} />}>
        {(data) => (
          <ul className={styles['list']}>
            {data.runningTasks.slice(0, SHOWN).map((task) => (
              <Task key={task.id} task={task} />
            ))}
          </ul>
        )}
      </PanelState>
    </Panel>
  );
}
