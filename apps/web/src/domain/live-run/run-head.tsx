import { LOADED_TEXT } from '@hes/contract/states/loaded.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { taskName } from '@hes/contract/task/words.ts';
import { StackBar } from '#kit/chart/bars.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { clockTime, elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { useNow } from '#core/time/use-now.ts';
import { HeadLine } from '#kit/basics/head-line.tsx';
import { Spoken } from '#kit/basics/spoken.tsx';
import { Tags } from '#kit/basics/tags.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM_ORDER, itemSign, taskSign } from '#domain/states/tables.ts';
import { counted } from '#kit/state/sign.ts';
import { RecentRuns, type RecentProps } from './recent-runs.tsx';
import { Origin, Rerun } from './rerun.tsx';
import { outcomeParts } from './outcome.ts';
import { RunActions } from './run-actions.tsx';
import { doneOf, hasEnded, paceOf, totalOf, type Counts } from './run-counts.ts';
import { texts } from './texts.ts';
import styles from './live-run.module.css';

const ALWAYS_SHOWN = new Set(['read_success', 'read_fail', 'reading', 'waiting']);

interface RunHeadProps {
  run: TaskRow;
  counts: Counts;
  /** The kind of recent runs, and their heading. */
  recent: RecentProps;
  onOpen: (taskId: string) => void;
}

/** The run makes progress without the console. A paused run or one awaiting approval needs a user. */
const isActive = ({ state }: TaskRow): boolean => state === 'waiting' || state === 'running';

/** Number, creator, start, percentage, counts, pace and actions of a run. */
export function RunHead({ run, counts, recent, onOpen }: RunHeadProps) {
  const t = useMessages(texts);
  const say = useSay();
  const now = useNow();
  const total = totalOf(counts) || run.total;
  const done = totalOf(counts) > 0 ? doneOf(counts) : run.done;
  const title = say(taskName(run));
  const pace = paceOf(run, done, total, now);

  return (
    <Panel label={title} className={styles['head']}>
      <HeadLine
        title={title}
        actions={
          <>
            <RecentRuns {...recent} current={run.id} onOpen={onOpen} />
            {run.isLoaded ? null : (
              <RunActions run={run} failed={counts.read_fail + counts.unknown + counts.expired} unknown={counts.unknown} />
            )}
            {hasEnded(run) && !run.isLoaded ? <Rerun run={run} onOpen={onOpen} /> : null}
          </>
        }
      >
        <StateOf tag sign={taskSign(run)} />
        {run.isLoaded ? <Tags words={[say(LOADED_TEXT)]} /> : null}
      </HeadLine>
      <p className={styles['sub']}>
        {t('startedBy', { id: run.id, at: clockTime(run.createdAt), name: run.createdByName ?? '—' })}
        {run.finishedAt !== null ? ` · ${t('endedAt', { at: clockTime(run.finishedAt) })}` : isActive(run) ? ` · ${t('goesOn')}` : null}
        {run.originId === null ? null : <Origin id={run.originId} onOpen={onOpen} />}
      </p>
      <div className={styles['progress']}>
        <StackBar
          height={10}
          label={t('results')}
          rest={counts.waiting}
          parts={ITEM_ORDER.filter((state) => state !== 'waiting').map((state) => ({
            value: counts[state],
            tone: itemSign(run, state).tone,
            label: say(itemSign(run, state).text),
          }))}
        />
      </div>
      <div className={styles['counts']}>
        <p className={styles['percent']} data-testid="run-done" data-value={done} data-total={total}>
          <b>{total > 0 ? Math.floor((done / total) * 100) : 0}</b>% <small>{`${figure(done)} / ${figure(total)}`}</small>
        </p>
        {ITEM_ORDER.filter((state) => ALWAYS_SHOWN.has(state) || counts[state] > 0).map((state) => (
          <div key={state} className={styles['count']} data-count={state}>
            <StateOf sign={counted(itemSign(run, state), counts[state])} />
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
      <Spoken
        text={outcomeParts(t, { done, total, failed: counts.read_fail + counts.unknown + counts.expired, unknown: counts.unknown }).join(
          ', ',
        )}
      />
    </Panel>
  );
}
