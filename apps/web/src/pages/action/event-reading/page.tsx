import type { TreeNode } from '@hes/contract/asset/tree.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { dateTime } from '#core/time/format.ts';
import { Skeleton } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import { NoRun } from '#domain/live-run/no-run.tsx';
import type { RunColumn } from '#domain/live-run/run-columns.tsx';
import { nodesOfKeys } from '#domain/targets/resolve-targets.ts';
import { ItemEvents, useCodeNames } from './item-events.tsx';
import { texts } from './messages.ts';
import { OrderPanel } from './order-panel.tsx';
import styles from './event-reading.module.css';

const KIND = 'events';

function useRunKind() {
  const t = useMessages(texts);
  const nameOf = useCodeNames();
  return useMemo(() => {
    const counts = (key: 'found' | 'fresh', title: string): RunColumn => ({
      key,
      title,
      width: 78,
      align: 'right',
      value: (row) => row.result?.events?.[key],
      cell: (row) => <Num value={row.result?.events?.[key]} strong={key === 'fresh' && (row.result?.events?.fresh ?? 0) > 0} />,
    });
    const newestOf = (row: TaskItemRow) => {
      const first = row.result?.events?.rows[0];
      return first && `${nameOf(first)} · ${dateTime(first.occurAt)}`;
    };
    const newest: RunColumn = {
      key: 'newest',
      title: t('newest'),
      width: 320,
      value: newestOf,
      cell: (row) => {
        const read = row.result?.events;
        if (read === undefined) return '—';
        return newestOf(row) ?? <span className={styles['dim']}>{t('noneFound')}</span>;
      },
    };
    return {
      recent: { kind: KIND },
      columns: () => [newest, counts('found', t('found')), counts('fresh', t('fresh'))],
      detail: (item: TaskItemRow) => <ItemEvents item={item} />,
    };
  }, [t, nameOf]);
}

function Workplace({ prefilled }: { prefilled: TreeNode[] }) {
  const t = useMessages(texts);
  const [url, setUrl] = useUrl(PAGE_WORDS.eventReading);
  const open = (id: string) => setUrl({ task: id, sel: undefined, state: undefined, targets: undefined });
  const kind = useRunKind();
  return (
    <div className={styles['page']}>
      <OrderPanel prefilled={prefilled} onStarted={open} />
      {url.task ? (
        <LiveRun key={url.task} id={url.task} {...kind} onOpen={open} />
      ) : (
        <NoRun {...kind.recent} title={t('title')} text={t('noRun')} hint={t('noRunHint')} onOpen={open} />
      )}
    </div>
  );
}

export default function EventReadingPage() {
  const [url] = useUrl(PAGE_WORDS.eventReading);
  const keys = url.targets?.split(',') ?? [];
  const prefilled = useQuery({ queryKey: ['targets', url.targets], queryFn: () => nodesOfKeys(keys), enabled: keys.length > 0 });
  if (keys.length > 0 && prefilled.data === undefined) return <Skeleton lines={8} />;
  return <Workplace key={url.targets} prefilled={prefilled.data ?? []} />;
}
