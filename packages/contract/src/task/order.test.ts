import { expect, test } from 'vitest';
import { orderRight, runPageOf } from './order.ts';

test('what brings plans into DCUs belongs to the plans, and not to the parameters of DCUs', () => {
  expect(orderRight({ kind: 'dcu_tasks', source: 'system' }).allow).toEqual({ page: '/meter/collect-plan', action: 'execute' });
  expect(runPageOf({ kind: 'dcu_tasks' })).toBeUndefined();
  expect(runPageOf({ kind: 'dcu_config_write' })).toBe('/action/dcu-configuration');
});
