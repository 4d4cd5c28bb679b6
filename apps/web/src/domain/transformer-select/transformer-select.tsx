import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import { TreeSelect } from 'antd';
import { useState } from 'react';
import { useTree, type TreeItem } from '#domain/node-tree/use-tree.ts';

interface TransformerSelectProps {
  /** Attributes that link the control to its form field. */
  control?: {
    id: string;
    status?: '' | 'error';
    'aria-invalid'?: boolean;
    'aria-required'?: boolean;
    'aria-describedby'?: string | undefined;
  };
  label?: string;
  placeholder?: string;
  value: string | null;
  /** Label of the value until its branch is loaded. */
  name?: string | null | undefined;
  onChange: (id: string | null, name: string | null) => void;
}

interface Choice {
  value: NodeKey;
  title: string;
  key: NodeKey;
  isLeaf: boolean;
  selectable: boolean;
  children?: Choice[];
}

/** Levels only lead to transformers and cannot be chosen. */
const choicesOf = (items: TreeItem[]): Choice[] =>
  items.map(({ key, node, children }) => ({
    key,
    value: key,
    title: node.title,
    isLeaf: node.kind === 'transformer',
    selectable: node.kind === 'transformer',
    ...(children ? { children: choicesOf(children) } : {}),
  }));

/** Chooses a transformer from the network tree, by opening branches or by name. */
export function TransformerSelect({ control, label, placeholder, value, name, onChange }: TransformerSelectProps) {
  const [search, setSearch] = useState('');
  const { items, load } = useTree('transformer', search);
  const { status, ...rest } = control ?? {};
  return (
    <TreeSelect<{ value: NodeKey; label: string } | undefined, Choice>
      {...rest}
      {...(status ? { status } : {})}
      {...(label ? { 'aria-label': label } : {})}
      allowClear
      labelInValue
      showSearch={{ filterTreeNode: false, searchValue: search, onSearch: setSearch }}
      style={{ width: '100%' }}
      placeholder={placeholder}
      value={value === null ? undefined : { value: `transformer:${value}`, label: name ?? value }}
      treeData={choicesOf(items)}
      treeNodeLabelProp="title"
      loadData={({ value: key }) => load(key as NodeKey /* as: the value of a choice */)}
      onChange={(chosen) => {
        setSearch('');
        const node = chosen === undefined ? undefined : nodeOf(chosen.value);
        onChange(node?.kind === 'transformer' ? node.id : null, chosen?.label ?? null);
      }}
    />
  );
}
