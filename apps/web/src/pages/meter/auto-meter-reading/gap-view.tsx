import type { Completeness } from '@hes/contract/reading/reading.ts';
import { GAP_STATE_TEXT } from '@hes/contract/states/reading.ts';
import { Segmented } from 'antd';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure } from '#core/time/number.ts';
import { Empty } from '#kit/basics/states.tsx';
import { ListInPanel } from '#kit/list/list-in-panel.tsx';
import { useList } from '#kit/list/use-list.ts';
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

/** The gaps below a node, by state. */
export function GapView({ kind, range, target }: Place) {
  const t = useMessages(texts);
  const say = useSay();
  const list = useList(gapList);
  const { query, url, isFiltered } = list;
  const answer = query.isPlaceholderData ? undefined : query.data;
  const state = stateOf(url['state']);
  return (
    <>
      <Figures {...{ kind, range, target }} chosen={meterFilterOf(url)} figures={answer?.figures} />
      <ListInPanel
        list={list}
        above={
          <div className={styles['gapBar']}>
            <Segmented
              size="small"
              aria-label={t('gapStates')}
              value={state}
              onChange={(next) => list.filterBy({ state: next })}
              options={STATES.map((value) => ({
                value,
                label: `${say(GAP_STATE_TEXT[value])}${answer ? ` ${figure(answer.gaps[value])}` : ''}`,
              }))}
            />
            <span className={styles['limit']}>{t(`gapHint_${state}`)}</span>
          </div>
        }
        {...(state === 'open' && !isFiltered ? { empty: <NoGaps missing={answer?.figures.missing} /> } : {})}
      />
    </>
  );
}
