import { ON_DEMAND_KINDS } from '@hes/contract/action/read.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Skeleton } from '#kit/basics/states.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import { NoRun } from '#domain/live-run/no-run.tsx';
import { useItemName } from '#domain/read-values/item-names.ts';
import { nodesOfKeys } from '#domain/targets/resolve-targets.ts';
import { ItemValues } from './item-values.tsx';
import { OrderPanel } from './order-panel.tsx';
import { filedColumns, itemsOfRun, resultColumns } from './result-columns.tsx';
import { texts } from './texts.ts';
import { useOrder } from './use-order.ts';
import styles from './on-demand.module.css';

const CLEARED = { sel: undefined, state: undefined, targets: undefined, kind: undefined, from: undefined, to: undefined };
function useRunKinds() {
  const t = useMessages(texts);
  const nameOf = useItemName();
  return useMemo(
    () => ({
      columns: (run: TaskRow) => resultColumns(itemsOfRun(run), nameOf, t),
      exported: (run: TaskRow, rows: TaskItemRow[]) => filedColumns(resultColumns(itemsOfRun(run), nameOf, t), rows),
      detail: (item: TaskItemRow) => <ItemValues item={item} />,
    }),
    [t, nameOf],
  );
}

const RECENT = { kind: ON_DEMAND_KINDS.join(',') };

function Workplace({ prefilled }: { prefilled: TreeNode[] }) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.onDemandReading);
  const open = (id: string) => setUrl({ ...CLEARED, task: id });
  const order = useOrder(prefilled, { kind: url.kind, from: url.from, to: url.to }, open);
  const kinds = useRunKinds();
  return (
    <div className={styles['page']}>
      <OrderPanel order={order} />
      {url.task ? (
        <LiveRun key={url.task} id={url.task} recent={RECENT} {...kinds} onOpen={open} />
      ) : (
        <NoRun {...RECENT} title={t('title')} text={t('noRun')} hint={t('noRunHint')} onOpen={open} />
      )}
    </div>
  );
}

export default function OnDemandReadingPage() {
  const [url] = useUrl(PAGE_WORDS.onDemandReading);
  const keys = url.targets?.split(',') ?? [];
  const prefilled = useQuery({ queryKey: ['targets', url.targets], queryFn: () => nodesOfKeys(keys), enabled: keys.length > 0 });
  if (keys.length > 0 && prefilled.data === undefined) return <Skeleton lines={8} />;
  return <Workplace prefilled={prefilled.data ?? []} />;
}
