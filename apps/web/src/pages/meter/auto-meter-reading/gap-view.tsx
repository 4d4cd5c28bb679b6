import type { gap } from '@hes/contract/reading/gap.ts';
import type { Completeness } from '@hes/contract/reading/reading.ts';
import { GAP_STATE_TEXT } from '@hes/contract/states/reading.ts';
import { Segmented } from 'antd';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Empty } from '#kit/basics/states.tsx';
import { ListTab } from '#kit/list/list-tab.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { texts } from './columns.tsx';
import { meterFilterOf } from './filters.tsx';
import { gapList, stateOf, STATES } from './gap-list.tsx';
import type { Place } from './place.ts';
import { Figures } from './summary.tsx';
import styles from './reading.module.css';

/** An empty list means complete data only if the figures above show no missing readings either. */
function NoGaps({ missing }: { missing: Completeness['missing'] | undefined }) {
  const t = useMessages(texts);
  if (missing !== undefined && missing.unlisted > 0)
    return <Empty text={t('gapsUnlisted', { count: figure(missing.unlisted) })} hint={t('missingTip')} />;
  const isComplete = missing !== undefined && Object.values(missing).every((count) => count === 0);
  return isComplete ? <Empty kind="fine" text={t('noGaps')} hint={t('noGapsHint')} /> : <Empty text={t('noGapsOfState')} />;
}

type List = ListState<typeof gap.list>;

const answerOf = ({ query }: List) => (query.isPlaceholderData ? undefined : query.data);

/** Chooses the state, with the number of gaps in each. */
function States({ list }: { list: List }) {
  const t = useMessages(texts);
  const say = useSay();
  const state = stateOf(list.url['state']);
  const gaps = answerOf(list)?.gaps;
  return (
    <div className={styles['gapBar']}>
      <Segmented
        size="small"
        aria-label={t('gapStates')}
        value={state}
        onChange={(next) => list.filterBy({ state: next })}
        options={STATES.map((value) => ({ value, label: `${say(GAP_STATE_TEXT[value])}${gaps ? ` ${figure(gaps[value])}` : ''}` }))}
      />
      <span className={styles['limit']}>{t(`gapHint_${state}`)}</span>
    </div>
  );
}

/** The gaps below a node, by state. */
export const GapView = ({ kind, range, target }: Place) => (
  <ListTab
    list={gapList}
    before={(list) => <Figures {...{ kind, range, target }} chosen={meterFilterOf(list.url)} figures={answerOf(list)?.figures} />}
    head={(list) => <States list={list} />}
    empty={(list) =>
      stateOf(list.url['state']) === 'open' && !list.isFiltered ? <NoGaps missing={answerOf(list)?.figures.missing} /> : undefined
    }
  />
);
