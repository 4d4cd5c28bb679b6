import type { relay } from '@hes/contract/action/relay.ts';
import { App, Tag } from 'antd';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopics } from '#core/live/live.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList, type ListState } from '#kit/list/use-list.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { PasteSns } from '#domain/targets/paste-sns.tsx';
import { texts } from './messages.ts';
import { relayList } from './relay-list.tsx';
import styles from './relay.module.css';

/** The numbers are part of the address, whose length is limited. */
const MAX_PASTED = 500;

function PastedSns({ list: { url, filterBy } }: { list: ListState<typeof relay.list> }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const sns = url['sns'];
  return (
    <>
      <PasteSns
        add={t('show')}
        onAdd={(nodes) => {
          if (nodes.length > MAX_PASTED) void message.warning(t('tooManyPasted', { count: MAX_PASTED }));
          else filterBy({ sns: nodes.map(({ title }) => title).join(',') });
        }}
      />
      {sns === undefined ? null : (
        <Tag closable closeIcon={<X size={12} aria-label={t('clearFilters')} />} onClose={() => filterBy({ sns: undefined })}>
          {t('pasted', { count: sns.split(',').length })}
        </Tag>
      )}
    </>
  );
}

/** The supplies with their relays, beside the tree of the network. */
export function Relays({ head, before }: { head: () => ReactNode; before: () => ReactNode }) {
  const t = useMessages(texts);
  const list = useList(relayList);
  const { rows, filter, filterBy } = list;
  useTopics(rows.flatMap(({ openOrder }) => (openOrder ? [`task:${openOrder.taskId}`] : [])));
  return (
    <>
      <Panel className={styles['tree']} title={t('network')}>
        <NodeTree
          until="dcu"
          selected={filter.node}
          onSelect={({ key }) => filterBy({ node: key === filter.node ? undefined : key, nodeName: undefined })}
        />
      </Panel>
      <ListView list={list} head={head} before={before} filters={() => <PastedSns list={list} />} />
    </>
  );
}
