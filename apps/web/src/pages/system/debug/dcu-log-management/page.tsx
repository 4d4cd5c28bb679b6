import { meter } from '@hes/contract/asset/meter.ts';
import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { refilter } from '#core/url/write-url.ts';
import { useUrl } from '#core/url/use-url.ts';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty } from '#kit/basics/states.tsx';
import { FrameDrawer } from './frame-drawer.tsx';
import { Log } from './log.tsx';
import { texts } from './messages.ts';
import styles from './dcu-log.module.css';

const DEFAULTS = { view: 'live' } as const;

/** The DCU of a node: the node itself, or the DCU of a meter. */
function useDcuOf(node: NodeKey | undefined): string | undefined {
  const { kind, id } = node === undefined ? { kind: undefined, id: '' } : nodeOf(node);
  const query = useApiQuery(meter.get, { params: { id }, enabled: kind === 'meter' });
  if (kind === 'dcu') return id;
  return kind === 'meter' ? (query.data?.dcuId ?? undefined) : undefined;
}

export default function DcuLogPage() {
  const t = useMessages(texts);
  const [{ node, view, frame, trace }, setUrl] = useUrl(PAGE_WORDS.dcuLog, DEFAULTS);
  const dcuId = useDcuOf(node);
  return (
    <div className={styles['page']}>
      <Panel title={t('nodes')} className={styles['main']}>
        <NodeTree opens="dcu" selected={node} onSelect={({ key }) => setUrl(refilter({ node: key }))} />
      </Panel>
      {dcuId === undefined ? (
        <Panel flush label={t('title')} className={styles['main']}>
          <Empty kind="choose" text={t('selectNode')} hint={t('needsDcu')} />
        </Panel>
      ) : (
        <Log key={dcuId} dcuId={dcuId} meterId={/^meter:(\d+)$/.exec(node ?? '')?.[1]} view={view} setUrl={setUrl} />
      )}
      <FrameDrawer frame={frame} trace={trace} onClose={() => setUrl({ frame: undefined, trace: undefined })} />
    </div>
  );
}
