import { deviceCommand } from '@hes/contract/action/device-command.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { COMMAND_KINDS } from '@hes/contract/orders/every-order.ts';
import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useUrl } from '#core/url/use-url.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, Skeleton } from '#kit/basics/states.tsx';
import { LiveRun } from '#domain/live-run/live-run.tsx';
import { NoRun } from '#domain/live-run/no-run.tsx';
import { nodesOfKeys } from '#domain/targets/resolve-targets.ts';
import { CommandPanel } from './command-panel.tsx';
import { factColumns, filedFacts, ItemFacts } from './facts.tsx';
import { texts } from './messages.ts';
import styles from './device-command.module.css';

function Workplace({ prefilled }: { prefilled: TreeNode[] }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const [url, setUrl] = useUrl(PAGE_WORDS.deviceCommands);
  const kinds = useMemo(() => COMMAND_KINDS.filter((kind) => deviceCommand[kind] !== undefined && may(deviceCommand[kind])), [may]);
  const kind = kinds.find((each) => each === url.command) ?? kinds[0];
  const [checked, setChecked] = useState(() => new Map(prefilled.map((node) => [node.key, node])));
  const open = (id: string) => setUrl({ task: id, sel: undefined, state: undefined, targets: undefined });
  const columns = useCallback((run: TaskRow) => factColumns(run, say), [say]);
  const exported = useCallback((run: TaskRow, rows: TaskItemRow[]) => filedFacts(run, rows, say), [say]);
  const detail = useCallback((item: TaskItemRow) => <ItemFacts item={item} />, []);
  return (
    <div className={styles['page']}>
      {kind === undefined ? (
        <Panel title={t('command')}>
          <Empty text={t('noCommand')} />
        </Panel>
      ) : (
        <CommandPanel
          key={kind}
          {...{ kinds, kind, checked }}
          onCheck={setChecked}
          onKind={(command) => setUrl({ command })}
          onStarted={open}
        />
      )}
      {url.task ? (
        <LiveRun key={url.task} id={url.task} recent={{ kind }} columns={columns} exported={exported} detail={detail} onOpen={open} />
      ) : (
        <NoRun kind={kinds.join(',')} title={t('title')} text={t('noRun')} hint={t('noRunHint')} onOpen={open} />
      )}
    </div>
  );
}

export default function DeviceCommandPage() {
  const [url] = useUrl(PAGE_WORDS.deviceCommands);
  const keys = url.targets?.split(',') ?? [];
  const prefilled = useQuery({ queryKey: ['targets', url.targets], queryFn: () => nodesOfKeys(keys), enabled: keys.length > 0 });
  if (keys.length > 0 && prefilled.data === undefined) return <Skeleton lines={8} />;
  return <Workplace key={url.targets} prefilled={prefilled.data ?? []} />;
}
