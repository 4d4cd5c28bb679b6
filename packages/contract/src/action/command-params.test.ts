import { expect, test } from 'vitest';
import { COMMAND_KINDS, ORDERS } from '../orders/every-order.ts';
import { defaultParams, paramSchemas } from './command-params.ts';

test.each(COMMAND_KINDS)('the form of %s has the params of its declaration', (kind) => {
  const names = Object.keys(ORDERS[kind].params);
  expect(paramSchemas(kind).map(([name]) => name)).toEqual(names);
  expect(Object.keys(ORDERS[kind].command?.fields ?? {})).toEqual(names);
});

test('a form begins with the defaults of the declaration', () => {
  expect(defaultParams('billing_period_set')).toEqual({ dayOfMonth: 1, hour: 0 });
  expect(defaultParams('key_transfer')).toEqual({});
});
