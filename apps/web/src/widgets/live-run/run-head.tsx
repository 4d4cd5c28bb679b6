import type { TaskRow } from '@hes/contract/task/task.ts';
import { StackBar } from '#shared/chart/bars.tsx';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { clockTime, elapsed } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { useNow } from '#shared/time/use-now.ts';
import { HeadLine } from '#shared/ui/head-line.tsx';
import { Spoken } from '#shared/ui/spoken.tsx';
import { Panel } from '#shared/ui/panel.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { counted, ITEM, ITEM_ORDER, TASK } from '#widgets/state-of/tables.ts';
import { RecentRuns, type RecentProps } from './recent-runs.tsx';
import { Origin, Rerun } from './rerun.tsx';
import { RunActions } from './run-actions.tsx';
import { doneOf, hasEnded, paceOf, totalOf, type Counts } from './run-counts.ts';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

const ALWAYS_SHOWN = new Set(['read_success', 'read_fail', 'reading', 'waiting']);

interface RunHeadProps {
  title: string;
  run: TaskRow;
  counts: Counts;
  /** Which runs are listed as recent, and how they are called. */
  recent: RecentProps;
  onOpen: (taskId: string) => void;
}

/** Number, who, since when, percent, counts, pace, and what can be done with it. */
export function RunHead({ title, run, counts, recent, onOpen }: RunHeadProps) {
  const t = useMessages(texts);
  const say = useSay();
  const now = useNow();
  const total = totalOf(counts) || run.total;
  const done = totalOf(counts) > 0 ? doneOf(counts) : run.done;
  const pace = paceOf(run, done, total, now);

  return (
    <Panel label={title} className={styles['head']}>
      <HeadLine
        title={title}
        actions={
          <>
            <RecentRuns {...recent} current={run.id} onOpen={onOpen} />
            <RunActions run={run} failed={counts.read_fail + counts.expired} />
            {hasEnded(run) ? <Rerun run={run} onOpen={onOpen} /> : null}
          </>
        }
      >
        <StateOf tag sign={TASK[run.state]} />
      </HeadLine>
      <p className={styles['sub']}>
        {t('startedBy', { id: run.id, at: clockTime(run.createdAt), name: run.createdByName ?? '—' })}
        {run.originId === null ? null : <Origin id={run.originId} onOpen={onOpen} />}
      </p>
      <div className={styles['progress']}>
        <StackBar
          height={10}
          label={t('results')}
          rest={counts.waiting}
          parts={ITEM_ORDER.filter((state) => state !== 'waiting').map((state) => ({
            value: counts[state],
            tone: ITEM[state].tone,
            label: say(ITEM[state].text),
          }))}
        />
      </div>
      <div className={styles['counts']}>
        <p className={styles['percent']} data-testid="run-done" data-value={done} data-total={total}>
          <b>{total > 0 ? Math.floor((done / total) * 100) : 0}</b>% <small>{`${figure(done)} / ${figure(total)}`}</small>
        </p>
        {ITEM_ORDER.filter((state) => ALWAYS_SHOWN.has(state) || counts[state] > 0).map((state) => (
          <div key={state} className={styles['count']} data-count={state}>
            <StateOf sign={counted(ITEM[state], counts[state])} />
            <b data-value={counts[state]}>{figure(counts[state])}</b>
          </div>
        ))}
        <span className={styles['space']} />
        <div className={styles['count']}>
          <span>{t('elapsed')}</span>
          <b>{elapsed(pace.elapsedMs)}</b>
        </div>
        {pace.leftMs === undefined ? null : (
          <div className={styles['count']}>
            <span>{t('left')}</span>
            <b>{elapsed(pace.leftMs)}</b>
          </div>
        )}
        <div className={styles['count']}>
          <span>{t('speed')}</span>
          <b>
            {pace.perSecond === undefined ? '—' : figure(pace.perSecond, 1)}
            <small>{t('perSecond')}</small>
          </b>
        </div>
      </div>
      <Spoken text={t('progress', { done, total, failed: counts.read_fail })} />
    </Panel>
  );
}
