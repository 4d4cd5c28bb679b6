import { TreeSelect } from 'antd';
import { useTree, type TreeItem } from './use-tree.ts';

interface LevelSelectProps {
  id?: string;
  status?: '' | 'error';
  'aria-label'?: string;
  value: string;
  /** Its name, as long as its branch was not opened. */
  name: string | undefined;
  onChange: (id: string, name: string) => void;
  /** Given: none may be chosen, too. */
  onClear?: () => void;
  placeholder?: string;
}

interface Option {
  value: string;
  title: string;
  isLeaf: boolean;
  children?: Option[];
}

const optionsOf = (items: TreeItem[]): Option[] =>
  items.map(({ node, isLeaf, children }) => ({
    value: node.id,
    title: node.title,
    isLeaf,
    ...(children ? { children: optionsOf(children) } : {}),
  }));

/** One network level, found in the tree. */
export function LevelSelect({ value, name, status, onChange, onClear, ...control }: LevelSelectProps) {
  const { items, load } = useTree('level', '');
  return (
    <TreeSelect<{ value: string; label: string }>
      {...control}
      {...(status ? { status } : {})}
      labelInValue
      allowClear={onClear !== undefined}
      style={{ width: '100%' }}
      {...(value === '' ? {} : { value: { value, label: name ?? value } })}
      treeData={optionsOf(items)}
      treeDefaultExpandedKeys={items.length === 1 ? items.map(({ node }) => node.id) : []}
      treeNodeLabelProp="title"
      loadData={({ value: id }) => load(`level:${String(id)}`)}
      // as: cleared, there is none
      onChange={(chosen) => ((chosen as typeof chosen | undefined) === undefined ? onClear?.() : onChange(chosen.value, chosen.label))}
    />
  );
}
