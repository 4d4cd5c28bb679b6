import type { PlanRow, PlanRunRow } from '@hes/contract/reading/plan.ts';
import { LOADED_TEXT } from '@hes/contract/states/loaded.ts';
import { PLAN_TARGET_TEXT } from '@hes/contract/states/plan.ts';
import { percent } from '#core/time/number.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { TASK } from '#domain/states/tables.ts';
import { texts } from './messages.ts';
import styles from './plan.module.css';

type Say = ListTools['say'];

export const windowOf = (row: Pick<PlanRow, 'windowFrom' | 'windowTo'>, say: Say): string =>
  row.windowFrom === null ? say(texts.anyTime) : `${row.windowFrom} – ${row.windowTo}`;

export const targetsOf = (row: PlanRow, say: Say) => {
  const text = row.targetKind === 'all' ? say(PLAN_TARGET_TEXT.all) : row.targetNames.join(', ');
  return <span title={text}>{text}</span>;
};

export const rateOf = (run: PlanRunRow | null): string => (run?.total ? `${percent(run.ok ?? 0, run.total, 1)} %` : '—');

/** The result of a run: the state of its task, or the reason why there was none. */
export const resultOf = (run: PlanRunRow, say: Say) => {
  if (run.state === 'skipped')
    return <span className={styles['skipped']}>{`${say(texts.skipped)}: ${say(texts[run.reason ?? 'still_running'])}`}</span>;
  if (run.taskState === null) return <span>—</span>;
  return (
    <span>
      <StateOf sign={TASK[run.taskState]} />
      {run.isLoaded ? ` · ${say(LOADED_TEXT)}` : null}
    </span>
  );
};

export const ownerOf = (row: PlanRow, say: Say): string | null => row.ownerName ?? (row.isBuiltin ? say(texts.builtin) : null);
