import type { transformer } from '@hes/contract/asset/transformer.ts';
import { Button } from 'antd';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { texts } from './messages.ts';
import styles from './transformer.module.css';

/** The levels of the network; the selected one limits the list. */
export function NetworkPanel({ list: { filter, filterBy } }: { list: ListState<typeof transformer.list> }) {
  const t = useMessages(texts);
  const all = () => filterBy({ node: undefined, nodeName: undefined });
  return (
    <Panel
      title={t('nodes')}
      className={styles['tree']}
      extra={
        filter.node ? (
          <Button type="link" size="small" onClick={all}>
            {t('everyTransformer')}
          </Button>
        ) : null
      }
    >
      <NodeTree
        until="level"
        selected={filter.node}
        onSelect={({ key, title }) => (key === filter.node ? all() : filterBy({ node: key, nodeName: title }))}
      />
    </Panel>
  );
}
