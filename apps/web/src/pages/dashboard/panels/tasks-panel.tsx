import type { TaskRow } from '@hes/contract/task/task.ts';
import { itemText, taskName } from '@hes/contract/task/words.ts';
import { Link } from 'react-router';
import { StackBar } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { clockTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { jobPath } from '#domain/live-run/jobs.ts';
import { failureParts } from '#domain/live-run/outcome.ts';
import { texts as runTexts } from '#domain/live-run/texts.ts';
import { texts } from '#pages/dashboard/texts.ts';
import { useSummary } from '#pages/dashboard/use-summary.ts';
import styles from './rail.module.css';

const SHOWN = 4;

function Task({ task }: { task: TaskRow }) {
  const t = useMessages(texts);
  const runWords = useMessages(runTexts);
  const say = useSay();
  const name = say(taskName(task));
  return (
    <li>
      <Link to={jobPath(task)} className={styles['task']}>
        <span className={styles['taskName']}>
          {name}{' '}
          <span className={styles['dim']}>
            #{task.id} · {clockTime(task.createdAt)}
          </span>
        </span>
        <span>
          {t('taskCounts', { done: task.done, total: task.total })}
          {task.failed > 0 ? <span className={styles['failed']}> · {failureParts(runWords, task).join(' · ')}</span> : null}
        </span>
        <StackBar
          height={4}
          label={name}
          rest={task.total - task.done}
          parts={[
            { value: task.ok, tone: 'run', label: say(itemText(task, 'read_success')) },
            { value: task.failed - task.unknown, tone: 'red', label: say(itemText(task, 'read_fail')) },
            { value: task.unknown, tone: 'amber', label: say(itemText(task, 'unknown')) },
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
