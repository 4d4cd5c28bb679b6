import { expect, test } from 'vitest';
import { orderRight, runPageOf } from './order.ts';

test('an order that writes plans to DCUs belongs to the page of plans, not to that of DCU parameters', () => {
  expect(orderRight({ kind: 'dcu_tasks', source: 'system' }).allow).toEqual({ page: '/meter/collect-plan', action: 'execute' });
  expect(runPageOf({ kind: 'dcu_tasks' })).toBeUndefined();
  expect(runPageOf({ kind: 'dcu_config_write' })).toBe('/action/dcu-configuration');
});
