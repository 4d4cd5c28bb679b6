import { task, type TaskRow } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { taskSign } from '#domain/states/tables.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { RecentRuns, SHOWN_RUNS, type RecentProps } from './recent-runs.tsx';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

interface NoRunProps extends RecentProps {
  title: string;
  /** That no run is open, and how to start one. */
  text: string;
  hint: string;
  onOpen: (taskId: string) => void;
}

/** The place of a run while none is open: the last runs of the user, each of which opens by a click. */
export function NoRun({ title, text, hint, kind, onOpen }: NoRunProps) {
  const t = useMessages(texts);
  const say = useSay();
  const runs = useApiQuery(task.list, { query: { mine: 'true', kinds: kind, size: SHOWN_RUNS } });
  const columns: Column<TaskRow>[] = [
    { key: 'id', title: t('runNumber'), width: 90, mono: true, cell: (run) => `#${run.id}` },
    { key: 'name', title: t('runName'), width: 260, cell: (run) => say(taskName(run)) },
    { key: 'createdAt', title: t('runStarted'), width: 170, time: (run) => run.createdAt },
    { key: 'state', title: t('status'), width: 170, cell: (run) => <StateOf sign={taskSign(run)} /> },
    { key: 'ok', title: t('runResult'), width: 130, align: 'right', cell: (run) => `${run.ok} / ${run.total}` },
    { key: 'rest', title: '', cell: () => '' },
  ];
  const empty = <Empty kind="choose" text={text} hint={hint} />;
  return (
    <Panel
      flush
      className={styles['noRun']}
      title={title}
      note={text}
      extra={<RecentRuns kind={kind} current={undefined} onOpen={onOpen} />}
    >
      <PanelState query={runs} isEmpty={({ items }) => items.length === 0} empty={empty}>
        {({ items }) => (
          <>
            <p className={styles['noRunHint']}>{hint}</p>
            <DataTable label={t('recent')} columns={columns} rows={items} rowKey={({ id }) => id} onSelect={({ id }) => onOpen(id)} />
          </>
        )}
      </PanelState>
    </Panel>
  );
}
