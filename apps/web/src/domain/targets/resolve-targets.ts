import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import { dcu } from '@hes/contract/asset/dcu.ts';
import { meter, type MeterRow } from '@hes/contract/asset/meter.ts';
import { idIn, nodeFrom, nodeKey, nodeOf, tree, type NodeKey, type TreeNode } from '@hes/contract/asset/tree.ts';
import { call } from '#core/api/client.ts';
import { RequestFailed } from '#core/api/errors.ts';

const PAGE = 500;
const SNS_PER_CALL = 200;

/** Splits `12, 34\n56` into distinct serial numbers. */
export const splitSns = (text: string): string[] => [...new Set(text.split(/[\s,;，；、]+/).filter((part) => part !== ''))];

const chunks = <T>(list: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

const nodeOfMeter = (row: MeterRow): TreeNode => ({
  key: `meter:${row.id}`,
  kind: 'meter',
  title: row.sn,
  parentKey: row.dcuId ? `dcu:${row.dcuId}` : null,
  isLeaf: true,
  meters: 1,
  onlineStatus: null,
});

async function metersOf(query: { node?: NodeKey; sns?: string }, page: number) {
  const answer = await call(meter.list, { query: { ...query, page, size: PAGE } });
  if (!answer.ok) throw new RequestFailed(answer.error);
  return answer.data;
}

/** The meters with these serial numbers as nodes, and the unknown numbers. */
export async function nodesOfSns(sns: string[]): Promise<{ nodes: TreeNode[]; unknown: string[] }> {
  const pages = await Promise.all(chunks(sns, SNS_PER_CALL).map((part) => metersOf({ sns: part.join(',') }, 1)));
  const rows = pages.flatMap((page) => page.items);
  const known = new Set(rows.map((row) => row.sn));
  return { nodes: rows.map(nodeOfMeter), unknown: sns.filter((sn) => !known.has(sn)) };
}

/** Distinct ids of the DCUs at or under the chosen nodes. */
async function dcuIdsUnder(nodes: TreeNode[], limit: number): Promise<string[]> {
  const ids = new Set<string>();
  for (const node of nodes) {
    if (node.kind === 'dcu') ids.add(idIn('dcu', node.key));
    else if (node.kind !== 'meter') {
      for (let page = 1, pages = 1; page <= pages && ids.size <= limit; page++) {
        const answer = await call(dcu.list, { query: { node: node.key, page, size: PAGE } });
        if (!answer.ok) throw new RequestFailed(answer.error);
        for (const row of answer.data.items) ids.add(row.id);
        pages = Math.ceil(answer.data.total / PAGE);
      }
    }
  }
  return [...ids];
}

/** The devices of the given kinds at or under the chosen nodes; stops when there are more than `limit`. */
export async function devicesUnder(nodes: TreeNode[], kinds: ReadonlySet<DeviceRef['kind']>, limit: number): Promise<DeviceRef[]> {
  const dcus = kinds.has('dcu') ? await dcuIdsUnder(nodes, limit) : [];
  const meters = kinds.has('meter') ? await meterIdsUnder(nodes, limit) : [];
  return [...dcus.map((id) => ({ kind: 'dcu' as const, id })), ...meters.map((id) => ({ kind: 'meter' as const, id }))];
}

/** Distinct ids of all meters at or under the chosen nodes; stops when there are more than `limit`. */
export async function meterIdsUnder(nodes: TreeNode[], limit: number): Promise<string[]> {
  const ids = new Set<string>();
  for (const node of nodes) {
    if (node.kind === 'meter') ids.add(idIn('meter', node.key));
    else {
      let page = 1;
      let pages = 1;
      do {
        const data = await metersOf({ node: node.key }, page);
        for (const row of data.items) ids.add(row.id);
        pages = Math.ceil(data.total / PAGE);
        page += 1;
      } while (page <= pages && ids.size <= limit);
    }
    if (ids.size > limit) break;
  }
  return [...ids];
}

/** The nodes of `?targets=dcu:7,meter:9` in a link from another page; invalid keys are ignored. */
export async function nodesOfKeys(keys: string[]): Promise<TreeNode[]> {
  const found: TreeNode[] = [];
  for (const text of keys) {
    const { data: key } = nodeKey.safeParse(text);
    if (key === undefined) continue;
    const { kind, id } = nodeOf(key);
    const common = { parentKey: null, onlineStatus: null };
    if (kind === 'meter') found.push(nodeFrom(key, { ...common, title: id, isLeaf: true, meters: 1 }));
    else {
      const children = await call(tree.children, { query: { root: key } });
      const meters = children.ok ? children.data.items.reduce((sum, node) => sum + node.meters, 0) : 0;
      found.push(nodeFrom(key, { ...common, title: key, isLeaf: false, meters }));
    }
  }
  return found;
}
