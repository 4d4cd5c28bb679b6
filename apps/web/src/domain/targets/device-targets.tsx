import type { TreeNode, NodeKey } from '@hes/contract/asset/tree.ts';
import { Button } from 'antd';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { texts } from './messages.ts';
import { PasteSns } from './paste-sns.tsx';

/** Number of meters at or under the chosen nodes. */
export const metersIn = (checked: ReadonlyMap<NodeKey, TreeNode>): number =>
  [...checked.values()].reduce((sum, node) => sum + (node.kind === 'meter' ? 1 : node.meters), 0);

interface DeviceTargetsProps {
  checked: Map<NodeKey, TreeNode>;
  onCheck: (checked: Map<NodeKey, TreeNode>) => void;
  className?: string | undefined;
  /** The order and its button. */
  children: ReactNode;
}

/** Chooses the devices of an order: a tree with check boxes and pasted serial numbers, with the order below. */
export function DeviceTargets({ checked, onCheck, className, children }: DeviceTargetsProps) {
  const t = useMessages(texts);
  const meters = metersIn(checked);
  return (
    <Panel
      className={className}
      title={t('target')}
      note={<span data-value={meters}>{t('chosen', { count: meters })}</span>}
      extra={
        <>
          {checked.size > 0 ? (
            <Button size="small" type="link" onClick={() => onCheck(new Map())}>
              {t('clear')}
            </Button>
          ) : null}
          <PasteSns onAdd={(nodes) => onCheck(new Map([...checked, ...nodes.map((node) => [node.key, node] as const)]))} />
        </>
      }
    >
      <NodeTree checked={checked} onCheck={onCheck} />
      {children}
    </Panel>
  );
}
