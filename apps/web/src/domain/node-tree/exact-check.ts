import type { NodeKey, TreeNode } from '@hes/contract/asset/tree.ts';
import type { TreeItem } from './use-tree.ts';

type Checked = ReadonlyMap<NodeKey, TreeNode>;

const isCovered = (item: TreeItem, checked: Checked): boolean => item.node.parentKey !== null && checked.has(item.node.parentKey);

/** Disables the check box of items under a checked node. */
export function withCover(items: readonly TreeItem[], checked: Checked, isUnder = false): TreeItem[] {
  return items.map((item) => {
    const covered = isUnder || isCovered(item, checked);
    const { children, ...own } = item;
    const below = children === undefined ? {} : { children: withCover(children, checked, covered || checked.has(item.key)) };
    return { ...own, ...below, ...(covered ? { disableCheckbox: true } : {}) };
  });
}

/** Keys shown as checked (with all nodes under them), and keys above a checked node. */
export function exactKeys(items: readonly TreeItem[], checked: Checked): { checked: NodeKey[]; halfChecked: NodeKey[] } {
  const whole: NodeKey[] = [];
  const half: NodeKey[] = [];
  const visit = (item: TreeItem, isUnder: boolean): boolean => {
    const isOn = isUnder || checked.has(item.key) || isCovered(item, checked);
    let isAbove = false;
    for (const child of item.children ?? []) isAbove = visit(child, isOn) || isAbove;
    if (isOn) whole.push(item.key);
    else if (isAbove) half.push(item.key);
    return isOn || isAbove;
  };
  for (const item of items) visit(item, false);
  return { checked: whole, halfChecked: half };
}

const keysUnder = (item: TreeItem): NodeKey[] => (item.children ?? []).flatMap((child) => [child.key, ...keysUnder(child)]);

/** The checked nodes after a click: a newly checked node replaces those under it. */
export function toggled(item: TreeItem, checked: Checked): Map<NodeKey, TreeNode> {
  const next = new Map(checked);
  if (next.delete(item.key)) return next;
  for (const key of keysUnder(item)) next.delete(key);
  for (const [key, node] of checked) if (node.parentKey === item.key) next.delete(key);
  return next.set(item.key, item.node);
}
