import { transformer } from '@hes/contract/asset/transformer.ts';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { task, type TaskItemRow } from '@hes/contract/task/task.ts';
import { firmware, firmwareKey } from '@hes/contract/upgrade/firmware.ts';
import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { queryKeyOf } from '#core/api/hooks.ts';
import { applyLiveMessage } from './apply.ts';

type Items = ResponseOf<typeof task.items>;
type Wall = ResponseOf<typeof task.byDcu>;

const TS = '2026-01-01T00:00:00.000Z';
const row = (id: string, state: TaskItemRow['state'], values = [{ item: 'E_PLUS' }]) => ({ id, state, values }) as unknown as TaskItemRow; // as: only these fields are compared
const items = queryKeyOf(task.items, { id: '7' }, { size: 1000 });
const wall = queryKeyOf(task.byDcu, { id: '7' });

/** A run of four items, three of them in the list, after the live messages about `changed`. */
function applyRows(...changed: TaskItemRow[]) {
  const client = new QueryClient();
  client.setQueryData(items, { items: ['1', '2', '3'].map((id) => row(id, 'waiting')), total: 4 });
  const cells = ['1', '2', '3', '4'].map((id) => ({ id, meterSn: id, state: 'waiting' }));
  client.setQueryData(wall, {
    items: [
      { dcuId: 'a', cells: cells.slice(0, 3) },
      { dcuId: 'b', cells: cells.slice(3) },
    ],
  });
  const was = { items: client.getQueryData<Items>(items), wall: client.getQueryData<Wall>(wall) };
  applyLiveMessage(client, { type: 'task.item', ts: TS, id: '7', data: { items: changed } } as LiveMessage); // as: rows of a test
  return { was, is: { items: client.getQueryData<Items>(items), wall: client.getQueryData<Wall>(wall) } };
}

test('a live message copies only the rows that changed: two thousand others are not rendered again', () => {
  const { was, is } = applyRows(row('3', 'read_success'));
  expect(is.items?.items.map(({ id, state }) => `${id} ${state}`)).toEqual(['1 waiting', '2 waiting', '3 read_success']);
  for (const at of [0, 1]) expect(is.items?.items[at]).toBe(was.items?.items[at]);
  const [group] = is.wall?.items ?? [];
  expect(group?.cells.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'read_success']);
  for (const at of [0, 1]) expect(group?.cells[at]).toBe(was.wall?.items[0]?.cells[at]);
  expect(is.wall?.items[1]).toBe(was.wall?.items[1]);
});

test('a message adds a row that was on no page yet', () => {
  const { is } = applyRows(row('4', 'reading'));
  expect(is.items?.items.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
  expect(is.items?.total).toBe(4);
  expect(is.wall?.items[1]?.cells[0]?.state).toBe('reading');
});

test('a list that another user changed is refetched with its details, and no other one is', () => {
  const client = new QueryClient();
  const keys = [queryKeyOf(firmware.list, {}, { page: 1 }), queryKeyOf(firmware.get, { id: '7' }), queryKeyOf(firmwareKey.list)];
  for (const key of keys) client.setQueryData(key, {});
  applyLiveMessage(client, { type: 'list.changed', ts: TS, id: '0', data: { path: firmware.approve.announces } });
  expect(keys.map((key) => client.getQueryState(key)?.isInvalidated)).toEqual([true, true, false]);
});

test('DCUs that connect one after another refetch the transformers at once and every three seconds, whatever else is received', () => {
  vi.useFakeTimers();
  const client = new QueryClient();
  const lists = [transformer.list, transformer.facets, transformer.map].map((route) => queryKeyOf(route, {}, {}));
  const load = () => lists.forEach((key) => client.setQueryData(key, {}));
  const areStale = () => lists.map((key) => client.getQueryState(key)?.isInvalidated);
  const status = { type: 'dcu.status', ts: TS, id: '1', data: { onlineStatus: 'online', lastCommAt: null } } as LiveMessage; // as: the fields in use
  load();
  applyLiveMessage(client, status);
  expect(areStale()).toEqual([true, true, true]);
  load();
  for (let at = 0; at < 8; at += 1) {
    vi.advanceTimersByTime(500);
    applyLiveMessage(client, status);
    applyLiveMessage(client, { type: 'export.ready', ts: TS, id: '1', data: {} } as LiveMessage); // as: its data are not read
  }
  expect(areStale()).toEqual([true, true, true]);
  vi.runAllTimers();
  vi.useRealTimers();
});
