import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { Filter } from '#kit/list/filters.tsx';
import { NodeFilter } from './node-filter.tsx';
import type { Until } from './use-tree.ts';

const keys = ['node', 'nodeName'];
const toQuery = ({ node }: Record<string, string | undefined>): { node?: NodeKey } => (node === undefined ? {} : { node: node as NodeKey }); // as: the server refuses other values

/** The node of a list that stands beside the tree: part of the address, without a control of its own. */
export const nodeScope: Filter<{ node?: NodeKey }> = { keys, toQuery, isScope: true };

/** The same, where clearing the filters chooses the whole network again. */
export const nodeBeside: Filter<{ node?: NodeKey }> = { keys, toQuery };

/** A filter by a node of the network. The address has the label of the node as well, for a page opened by a link. */
export const nodeFilter = (until: Until): Filter<{ node?: NodeKey }> => ({
  keys,
  toQuery,
  Control: ({ url, onChange }) => (
    <NodeFilter
      node={url['node'] as NodeKey | undefined} // as: the server refuses other values
      nodeName={url['nodeName']}
      until={until}
      onChange={({ node, nodeName }) => onChange({ node, nodeName })}
    />
  ),
});
