import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { TreeSelect } from 'antd';
import { useTree, type TreeItem } from './use-tree.ts';

interface LevelSelectProps {
  id?: string;
  status?: '' | 'error';
  'aria-label'?: string;
  value: string;
  /** Label of the value until its branch is loaded. */
  name: string | undefined;
  onChange: (id: string, name: string) => void;
  /** Set to allow clearing the selection. */
  onClear?: () => void;
  placeholder?: string;
}

interface Option {
  value: NodeKey;
  title: string;
  isLeaf: boolean;
  children?: Option[];
}

const optionsOf = (items: TreeItem[]): Option[] =>
  items.map(({ node, isLeaf, children }) => ({
    value: node.key,
    title: node.title,
    isLeaf,
    ...(children ? { children: optionsOf(children) } : {}),
  }));

/** Chooses a level of the network from the tree. */
export function LevelSelect({ value, name, status, onChange, onClear, ...control }: LevelSelectProps) {
  const { items, load } = useTree('level', '');
  return (
    <TreeSelect<{ value: NodeKey; label: string }>
      {...control}
      {...(status ? { status } : {})}
      labelInValue
      allowClear={onClear !== undefined}
      style={{ width: '100%' }}
      {...(value === '' ? {} : { value: { value: `level:${value}` as const, label: name ?? value } })}
      treeData={optionsOf(items)}
      treeDefaultExpandedKeys={items.length === 1 ? items.map(({ key }) => key) : []}
      treeNodeLabelProp="title"
      loadData={({ value: key }) => load(key as NodeKey /* as: the value of an option */)}
      // as: cleared, there is none
      onChange={(chosen) => {
        const node = (chosen as typeof chosen | undefined) && nodeOf(chosen.value);
        if (node?.kind === 'level') onChange(node.id, chosen.label);
        else onClear?.();
      }}
    />
  );
}
