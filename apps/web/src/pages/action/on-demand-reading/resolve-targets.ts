import { meter, type MeterRow } from '@hes/contract/asset/meter.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { call } from '#shared/api/client.ts';
import { RequestFailed } from '#shared/api/errors.ts';

const PAGE = 500;
const SNS_PER_CALL = 200;

/** `12, 34\n56` → serial numbers, each once. */
export const splitSns = (text: string): string[] => [...new Set(text.split(/[\s,;，；、]+/).filter((part) => part !== ''))];

const chunks = <T>(list: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));

export const nodeOfMeter = (row: MeterRow): TreeNode => ({
  key: `meter:${row.id}`,
  kind: 'meter',
  id: row.id,
  title: row.sn,
  parentKey: row.dcuId ? `dcu:${row.dcuId}` : null,
  isLeaf: true,
  meters: 1,
  onlineStatus: null,
});

async function metersOf(query: { node?: string; sns?: string }, page: number) {
  const answer = await call(meter.list, { query: { ...query, page, size: PAGE } });
  if (!answer.ok) throw new RequestFailed(answer.error);
  return answer.data;
}

/** The meters with these serial numbers, as nodes, and the numbers nobody knows. */
export async function nodesOfSns(sns: string[]): Promise<{ nodes: TreeNode[]; unknown: string[] }> {
  const pages = await Promise.all(chunks(sns, SNS_PER_CALL).map((part) => metersOf({ sns: part.join(',') }, 1)));
  const rows = pages.flatMap((page) => page.items);
  const known = new Set(rows.map((row) => row.sn));
  return { nodes: rows.map(nodeOfMeter), unknown: sns.filter((sn) => !known.has(sn)) };
}

/** Ids of all meters at or under the chosen nodes, each once; stops when there are more than wanted. */
export async function meterIdsUnder(nodes: TreeNode[], limit: number): Promise<string[]> {
  const ids = new Set<string>();
  for (const node of nodes) {
    if (node.kind === 'meter') ids.add(node.id);
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
