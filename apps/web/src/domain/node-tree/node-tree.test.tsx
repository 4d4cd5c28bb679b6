import type { NodeKey, NodeKind, TreeNode } from '@hes/contract/asset/tree.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveSession } from '#core/session/session.ts';
import { NodeTree } from './node-tree.tsx';

const MANY = 10_000;
/** Maximum number of rendered rows while ten thousand are loaded: the visible ones and some around them. */
const DRAWN_AT_MOST = 60;
const SLOW_RENDER = { timeout: 20_000 };

const meter = (number: number) => ({
  key: `meter:${number}` as const,
  kind: 'meter' as const,
  title: String(880_000_000_000 + number),
  parentKey: 'dcu:1' as NodeKey | null,
  isLeaf: true,
  meters: 1,
  onlineStatus: null,
});
const dcu = {
  ...meter(1),
  key: 'dcu:1' as const,
  kind: 'dcu' as const,
  title: 'DCU26000001',
  parentKey: null,
  isLeaf: false,
  meters: MANY,
};
const everyMeter = Array.from({ length: MANY }, (_, number) => meter(number));
const asked: string[] = [];
/** Elements that were scrolled into sight, which jsdom cannot do. */
const inSight: Element[] = [];

beforeEach(() => {
  inSight.length = 0;
  Element.prototype.scrollIntoView = function (this: Element) {
    inSight.push(this);
  };
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
  asked.length = 0;
  localStorage.removeItem('HES_LAST_NODE_dcu_7');
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  vi.stubGlobal('fetch', (url: string) => {
    const query = new URL(url, 'http://console').searchParams;
    asked.push(query.toString());
    const text = query.get('search');
    const items = text ? everyMeter.filter((node) => node.title.includes(text)) : query.has('root') ? everyMeter : [dcu];
    return Promise.resolve(Response.json({ items }));
  });
});
afterEach(cleanup);

const rows = (): number => document.querySelectorAll('.ant-tree-list-holder .ant-tree-treenode').length;
const show = (onSelect: (node: TreeNode) => void, more: { selected?: string; opens?: NodeKind } = {}) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <NodeTree onSelect={onSelect} {...more} />
    </QueryClientProvider>,
  );

test('a tree of ten thousand nodes renders the visible rows, and a search finds a hidden one', async () => {
  const chosen: string[] = [];
  show((node) => void chosen.push(node.title));
  const first = await screen.findByText('8800 0000 0000', {}, SLOW_RENDER);
  expect(rows()).toBeLessThan(DRAWN_AT_MOST);
  fireEvent.click(first);

  fireEvent.change(screen.getByRole('textbox'), { target: { value: '880000009999' } });
  fireEvent.click(await screen.findByText('8800 0000 9999', {}, SLOW_RENDER));
  expect(asked.at(-1)).toContain('search=880000009999');
  expect(chosen).toEqual(['880000000000', '880000009999']);
}, 60_000);

/** Two districts with one DCU each; the way down to a node is `/asset/tree/path`. */
function stubDistricts(): void {
  const district = (id: number): TreeNode => ({ ...dcu, key: `level:${id}`, kind: 'level', title: `District ${id}`, parentKey: null });
  const dcuOf = (id: number): TreeNode => ({ ...dcu, key: `dcu:${id}`, title: `DCU2600000${id}`, parentKey: `level:${id}` });
  vi.stubGlobal('fetch', (url: string) => {
    const { pathname, searchParams } = new URL(url, 'http://console');
    const node = searchParams.get('node') ?? '';
    const id = Number(node.split(':')[1]);
    if (pathname.endsWith('/path')) return Promise.resolve(Response.json({ keys: id > 2 ? [] : [`level:${id}`, node] }));
    const root = searchParams.get('root');
    return Promise.resolve(Response.json({ items: root ? [dcuOf(Number(root.split(':')[1]))] : [district(1), district(2)] }));
  });
}

test('the branches above the node of an address are open, and its row is scrolled into sight', async () => {
  stubDistricts();
  show(() => undefined, { selected: 'dcu:2' });
  const row = await screen.findByText('DCU26000002', {}, SLOW_RENDER);
  expect(row.closest('.ant-tree-treenode')?.className).toContain('ant-tree-treenode-selected');
  expect(screen.queryByText('DCU26000001')).toBeNull();
  await vi.waitFor(() => expect(inSight).toContain(row.closest('.ant-tree-treenode')), SLOW_RENDER);
}, 60_000);

test('without a node the last one of the kind is chosen, and the first when the last is gone', async () => {
  stubDistricts();
  const chosen: string[] = [];
  for (const last of [undefined, 'dcu:2', 'dcu:9']) {
    if (last) localStorage.setItem('HES_LAST_NODE_dcu_7', last);
    const before = chosen.length;
    show(({ key }) => void chosen.push(key), { opens: 'dcu' });
    await vi.waitFor(() => expect(chosen).toHaveLength(before + 1), SLOW_RENDER);
    cleanup();
  }
  expect(chosen).toEqual(['dcu:1', 'dcu:2', 'dcu:1']);
}, 60_000);

test('a tree is open down to its first branching, and stays closed where the user closed it', async () => {
  const level = (title: string, parentKey: NodeKey | null): TreeNode => ({
    ...dcu,
    key: `level:${title}`,
    kind: 'level',
    title,
    parentKey,
  });
  const below: Record<string, TreeNode[]> = {
    '': [level('Utility', null)],
    'level:Utility': [level('Region', 'level:Utility')],
    'level:Region': [level('North Bank', 'level:Region'), level('Old Town', 'level:Region')],
  };
  vi.stubGlobal('fetch', (url: string) => {
    const root = new URL(url, 'http://console').searchParams.get('root') ?? '';
    asked.push(root);
    return Promise.resolve(Response.json({ items: below[root] ?? [] }));
  });
  show(() => undefined);
  expect(await screen.findByText('Old Town', {}, SLOW_RENDER)).toBeTruthy();
  expect(asked).toEqual(['', 'level:Utility', 'level:Region']);

  const region = screen.getByText('Region').closest('.ant-tree-treenode');
  fireEvent.click(region?.querySelector('.ant-tree-switcher') as Element); // as: a node that can be opened has one
  expect(region?.className).toContain('ant-tree-treenode-switcher-close');
}, 60_000);
