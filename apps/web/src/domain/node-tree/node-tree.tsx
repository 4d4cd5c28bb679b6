import type { TreeNode, NodeKey, NodeKind } from '@hes/contract/asset/tree.ts';
import { Input, Tree } from 'antd';
import { Network, Search, UtilityPole } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure, grouped } from '#core/time/number.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { DcuIcon, MeterIcon } from './device-icons.tsx';
import { messages } from './messages.ts';
import { useOpening } from './use-opening.ts';
import { useAncestors, useRowInSight } from './use-reveal.ts';
import { useRoom } from './use-room.ts';
import { exactKeys, toggled, withCover } from './exact-check.ts';
import { opened, useTree, type TreeItem, type Until } from './use-tree.ts';
import styles from './node-tree.module.css';

interface NodeTreeProps {
  until?: Until;
  selected?: string | undefined;
  onSelect?: (node: TreeNode) => void;
  /** Without a selected node, the last one of this kind is chosen, otherwise the first. */
  opens?: NodeKind;
  /** Rendered behind the name of a node, such as a count. */
  badge?: (node: TreeNode) => ReactNode;
  /** Adds check boxes; the map holds the topmost checked nodes. */
  checked?: Map<NodeKey, TreeNode>;
  onCheck?: (checked: Map<NodeKey, TreeNode>) => void;
  /** Only a click checks a node: checking all children does not check their level, which may get others later. */
  isExact?: boolean;
  /** Nodes that are open initially, in addition to single roots: the ancestors of the checked ones. */
  paths?: ReadonlySet<NodeKey>;
}

/** Above this number of rows the tree is virtualised. */
const WINDOWED_ABOVE = 200;
const NO_PATHS: ReadonlySet<NodeKey> = new Set();

const ICONS = { level: Network, transformer: UtilityPole, dcu: DcuIcon, meter: MeterIcon };

function NodeTitle({ node, badge }: { node: TreeNode; badge?: ReactNode }) {
  const Icon = ICONS[node.kind];
  const device = node.kind === 'dcu' || node.kind === 'meter';
  return (
    <span className={styles['node']} data-kind={node.kind} data-status={node.onlineStatus ?? undefined}>
      <Icon size={14} aria-hidden="true" />
      <span className={device ? 'mono' : styles['name']}>{device ? grouped(node.title) : node.title}</span>
      {badge}
      {node.kind === 'meter' ? null : <span className={styles['count']}>{figure(node.meters)}</span>}
    </span>
  );
}

const keysOf = (items: TreeItem[]): NodeKey[] => items.flatMap((item) => [item.key, ...keysOf(item.children ?? [])]);

/** The topmost checked nodes. Checked nodes that the tree does not show (from a search or a paste) are kept. */
export function topmost(checkedNodes: TreeNode[], shown: Set<string>, before: Map<NodeKey, TreeNode>): Map<NodeKey, TreeNode> {
  const keys = new Set(checkedNodes.map((node) => node.key));
  const kept = [...before].filter(([key]) => !shown.has(key));
  const tops = checkedNodes.filter((node) => node.parentKey === null || !keys.has(node.parentKey));
  return new Map([...kept, ...tops.map((node) => [node.key, node] as const)]);
}

/** The network tree: level, transformer, DCU, meter. Branches load when they are opened. */
export function NodeTree({
  until = 'meter',
  selected,
  onSelect,
  opens,
  badge,
  checked,
  onCheck,
  isExact = false,
  paths = NO_PATHS,
}: NodeTreeProps) {
  const t = useMessages(messages);
  const [search, setSearch] = useState('');
  const { items, load, searching, query } = useTree(until, search);
  const { box, heightPx } = useRoom();
  useOpening(opens, selected, onSelect);
  // The first of the nodes that an address has checked is shown; a click needs no help to be seen.
  const [toShow] = useState(() => checked?.keys().next().value);
  const shown = selected ?? toShow;
  const above = useAncestors(shown, load);
  const tree = useRef<HTMLDivElement>(null);
  const label = t(until === 'level' || until === 'transformer' ? 'searchPlaces' : 'search');
  const keys = keysOf(items);
  // Nodes that the user opened or closed keep that state.
  const [touched, setTouched] = useState(() => new Map<string, boolean>());
  const expanded = searching ? [] : opened(items);
  const isOpen = (key: NodeKey) => touched.get(key) ?? (expanded.includes(key) || (!searching && (paths.has(key) || above.has(key))));
  useRowInSight(tree, shown, !searching && keys.some((key) => key === shown));
  return (
    <div ref={tree} className={styles['box']}>
      <Input
        allowClear
        prefix={<Search size={14} aria-hidden="true" />}
        placeholder={label}
        aria-label={label}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      <div ref={box} className={styles['scroll']}>
        <PanelState query={query} isEmpty={(data) => data.items.length === 0} empty={<Empty text={t('noNodes')} />}>
          {() => (
            <Tree<TreeItem>
              key={searching ? 'search' : 'tree'}
              blockNode
              {...(keys.length > WINDOWED_ABOVE ? { height: heightPx } : {})}
              expandedKeys={keys.filter(isOpen)}
              onExpand={(_, { node, expanded: open }) => setTouched((all) => new Map(all).set(node.key, open))}
              aria-label={t('tree')}
              treeData={isExact && checked ? withCover(items, checked) : items}
              checkable={checked !== undefined}
              checkStrictly={isExact}
              checkedKeys={checked === undefined ? [] : isExact ? exactKeys(items, checked) : [...checked.keys()]}
              selectable={onSelect !== undefined}
              selectedKeys={selected ? [selected] : []}
              titleRender={(item) => <NodeTitle node={item.node} badge={badge?.(item.node)} />}
              loadData={(item) => load(item.key)}
              onSelect={(_, { node }) => onSelect?.(node.node)}
              onCheck={(_, { checkedNodes, node: item }) =>
                onCheck?.(
                  isExact
                    ? toggled(item, checked ?? new Map())
                    : topmost(
                        checkedNodes.map(({ node }) => node),
                        new Set(keys),
                        checked ?? new Map(),
                      ),
                )
              }
            />
          )}
        </PanelState>
      </div>
    </div>
  );
}
