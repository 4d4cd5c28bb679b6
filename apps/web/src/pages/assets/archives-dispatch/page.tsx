import { idIn, type TreeNode } from '@hes/contract/asset/tree.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useSearchParams } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { ListScreen } from '#kit/list/list-screen.tsx';
import { ArchiveRun } from './archive-run.tsx';
import { DcuArchive } from './dcu-archive.tsx';
import { dcuList } from './dcu-list.tsx';
import { Network } from './network.tsx';
import { texts } from './texts.ts';
import { useSummary } from './use-summary.ts';
import styles from './archives.module.css';

/** Compares the meter list of a DCU with that of the head-end; binds, dispatches and confirms. */
export default function ArchivesDispatch() {
  const t = useMessages(texts);
  const [{ node, dcuId, task }, setUrl] = useUrl(PAGE_WORDS.archives);
  const [search, setSearch] = useSearchParams();
  const state = useSummary(dcuId);
  const isChosen = node !== undefined || dcuId !== undefined;
  const choose = ({ kind, key }: TreeNode) =>
    setSearch(
      (words) => {
        // Filters of a link wait for the first node.
        const kept = isChosen ? {} : Object.fromEntries(words);
        return { ...kept, node: key, ...(kind === 'dcu' ? { dcuId: idIn('dcu', key) } : {}) };
      },
      { replace: !isChosen },
    );
  const onRun = (next: string) => setUrl({ task: next });
  return (
    <div className={styles['page']}>
      <Network isOpening={search.size === 0} selected={node ?? (dcuId === undefined ? undefined : `dcu:${dcuId}`)} onSelect={choose} />
      {dcuId !== undefined ? (
        <PanelState query={state} lines={10} isEmpty={(data) => data.items.length === 0} empty={<Empty text={t('noSn')} />}>
          {({ items: [found] }) => (found ? <DcuArchive key={found.dcuId} summary={found} onRun={onRun} /> : null)}
        </PanelState>
      ) : node !== undefined ? (
        <ListScreen key={node} list={dcuList} />
      ) : (
        <Panel label={t('title')}>
          <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />
        </Panel>
      )}
      {task === undefined ? null : <ArchiveRun taskId={task} onClose={() => setUrl({ task: undefined })} />}
    </div>
  );
}
