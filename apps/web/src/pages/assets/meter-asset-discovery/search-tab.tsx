import { discovery } from '@hes/contract/asset/discovery.ts';
import type { NodeKey, TreeNode } from '@hes/contract/asset/tree.ts';
import { useState } from 'react';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopics } from '#core/live/live.ts';
import { elapsed, serverNow } from '#core/time/format.ts';
import { useNow } from '#core/time/use-now.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import { Decisions } from './decisions.tsx';
import { foundList } from './found-list.tsx';
import { isRunning, SearchControls } from './search-controls.tsx';
import { texts } from './texts.ts';
import styles from './discovery.module.css';

const RUNS_POLL_MS = 5000;
const RUNS_SHOWN = 100;
const SECOND_MS = 1000;

function NoneYet({ since }: { since: string }) {
  const t = useMessages(texts);
  useNow(SECOND_MS);
  return <Empty text={t('noneYet', { time: elapsed(Math.max(0, serverNow() - Date.parse(since))) })} />;
}

/** Starts searches by DCUs, shows discovered meters live, and takes decisions about them. */
export function SearchTab() {
  const t = useMessages(texts);
  const list = useList(foundList);
  const { node } = list.filter;
  const [checked, setChecked] = useState(new Map<NodeKey, TreeNode>());
  const runs = useApiQuery(discovery.runs, { query: { node, size: RUNS_SHOWN }, keep: true, refetchMs: RUNS_POLL_MS });
  const running = (runs.data?.items ?? []).filter(isRunning);
  useTopics(running.map(({ dcuId }) => `discovery:${dcuId}`));
  const [first] = running;
  return (
    <div className={styles['search']}>
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree
          until="dcu"
          selected={node}
          onSelect={({ key }) => list.filterBy({ node: key === node ? undefined : key })}
          checked={checked}
          onCheck={setChecked}
        />
      </Panel>
      <ListView
        list={list}
        before={() => (
          <SearchControls
            nodes={checked.size > 0 ? [...checked.keys()] : node === undefined ? [] : [node]}
            runs={runs.data?.items ?? []}
            onChanged={list.reload}
          />
        )}
        above={() => <Decisions list={list} />}
        empty={() => (first && !list.isFiltered ? <NoneYet since={first.startedAt} /> : undefined)}
      />
    </div>
  );
}
