import { idIn } from '@hes/contract/asset/tree.ts';
import { useSearchParams } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { stationList } from './list.tsx';
import { texts } from './messages.ts';
import { ReadModel } from './read-model.tsx';
import { Summary } from './summary.tsx';
import { useDcuId } from './use-summary.ts';
import styles from './sta-model.module.css';

/** PLC and RF stations as reported by the network of a DCU, which is chosen in the tree. */
export default function StaModel() {
  const t = useMessages(texts);
  const dcuId = useDcuId();
  const [, setSearch] = useSearchParams();
  useTopic(dcuId === undefined ? undefined : `topology:${dcuId}`);
  return (
    <div className={styles['page']}>
      <Panel label={t('network')} className={styles['tree']}>
        <NodeTree
          until="dcu"
          opens="dcu"
          selected={dcuId ? `dcu:${dcuId}` : undefined}
          onSelect={(node) => node.kind === 'dcu' && setSearch({ dcuId: idIn('dcu', node.key) }, { replace: true })}
        />
      </Panel>
      {dcuId === undefined ? (
        <Panel label={t('title')}>
          <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
        </Panel>
      ) : (
        <ListScreen
          key={dcuId}
          list={stationList}
          head={() => <ReadModel dcuId={dcuId} />}
          before={({ filterBy }) => <Summary filterBy={filterBy} />}
        />
      )}
    </div>
  );
}
