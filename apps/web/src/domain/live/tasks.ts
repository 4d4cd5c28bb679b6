import type { ResponseOf } from '@hes/contract/core/route.ts';
import { task } from '@hes/contract/task/task.ts';
import { runItemStateOf } from '@hes/contract/task/words.ts';
import type { QueryClient } from '@tanstack/react-query';
import { queryKeyOf } from '#core/api/hooks.ts';
import { refetchInFlight } from '#core/live/refetch.ts';
import { put, refresh, withCells, type LiveUpdates, type MessageOf } from '#core/live/updates.ts';
import { devicesChanged } from './changed-by-run.ts';
import { READING_ROUTES } from './stored-readings.ts';

type Items = ResponseOf<typeof task.items>;
type Wall = ResponseOf<typeof task.byDcu>;

const stateOf = (item: Items['items'][number] | undefined) => item && runItemStateOf(item);

function mergeItems(client: QueryClient, message: MessageOf<'task.item'>): void {
  const fresh = new Map(message.data.items.map((item) => [item.id, item]));
  put<Items>(client, [task.items.path, { id: message.id }], (old) => {
    // Each item keeps its index: structural sharing compares by index, and a moved item would be copied and rendered again.
    const items = old.items.map((item) => fresh.get(item.id) ?? item);
    const known = new Set(old.items.map(({ id }) => id));
    items.push(...message.data.items.filter(({ id }) => !known.has(id)));
    return { ...old, items, total: Math.max(old.total, items.length) };
  });
  put<Wall>(client, queryKeyOf(task.byDcu, { id: message.id }), (old) => ({
    items: withCells(old.items, (cell) => ({ ...cell, state: stateOf(fresh.get(cell.id)) ?? cell.state }), fresh),
  }));
}

export const taskUpdates: LiveUpdates<'task.progress' | 'task.item'> = {
  'task.progress': (client, message) => {
    const key = queryKeyOf(task.get, { id: message.id });
    client.setQueryData(key, message.data);
    refetchInFlight(client, { queryKey: key });
    refresh(client, [task.list]);
    devicesChanged(client, message.data.kind);
    // The final state of a refill marks its readings as refilled.
    if (message.data.kind === 'refill' && message.data.finishedAt !== null) refresh(client, READING_ROUTES);
  },
  'task.item': mergeItems,
};
