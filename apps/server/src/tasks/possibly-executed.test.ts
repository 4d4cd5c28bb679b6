import { expect, test } from 'vitest';
import { isPossiblyExecuted } from './possibly-executed.ts';

const ITEM = { id: '1', taskId: '1', source: 'user', priority: 1, deviceKind: 'meter', dcuId: '1', meterId: '1', params: {} } as const;
const judged = (kind: string, attempts: number) => isPossiblyExecuted({ ...ITEM, kind, attempts });

test('a claimed command that needs a read-back may have been executed by an earlier claim, not by the present one', () => {
  expect([judged('relay_disconnect', 1), judged('relay_disconnect', 2), judged('relay_disconnect', 3)]).toEqual([false, true, true]);
});

test('an order that needs no read-back is never possibly executed', () => {
  expect([judged('registers', 2), judged('clock_sync', 2)]).toEqual([false, false]);
});
