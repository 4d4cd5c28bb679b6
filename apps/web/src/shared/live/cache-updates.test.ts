import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { task, type TaskItemRow } from '@hes/contract/task/task.ts';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { queryKeyOf } from '#shared/api/hooks.ts';
import { applyLiveMessage } from './cache-updates.ts';

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
