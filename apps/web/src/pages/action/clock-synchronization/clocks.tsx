import { to } from '@hes/contract/page/links.ts';
import { CalendarClock } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopics } from '#core/live/live.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { RecentRuns } from '#domain/live-run/recent-runs.tsx';
import { LinkButton } from '#kit/basics/link-button.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Histogram } from './histogram.tsx';
import { clockList, useSummary } from './list.tsx';
import { texts } from './messages.ts';
import { useThresholds } from '#domain/states/thresholds.ts';
import styles from './clock.module.css';

/** The list of clocks, beside the tree of the network. */
export function Clocks({ onOpen }: { onOpen: (taskId: string) => void }) {
  const t = useMessages(texts);
  const limits = useThresholds();
  const list = useList(clockList);
  const { rows, filterOfCounts, filterBy } = list;
  const summary = useSummary(filterOfCounts);
  useTopics(rows.flatMap(({ openOrder }) => (openOrder ? [`task:${openOrder.taskId}`] : [])));
  const { node } = filterOfCounts;
  const head = (
    <>
      <LinkButton to={to.plans()} icon={<CalendarClock size={15} aria-hidden="true" />}>
        {t('plan')}
      </LinkButton>
      <RecentRuns kind="clock_sync" current={undefined} onOpen={onOpen} />
    </>
  );
  return (
    <div className={styles['page']}>
      <Panel className={styles['tree']} title={t('network')}>
        <NodeTree
          until="dcu"
          selected={node}
          onSelect={({ key }) => filterBy({ node: key === node ? undefined : key, nodeName: undefined })}
        />
      </Panel>
      <ListView
        list={list}
        head={() => head}
        before={() => (summary.data ? <Histogram bars={summary.data.histogram} limits={limits} /> : null)}
      />
    </div>
  );
}
