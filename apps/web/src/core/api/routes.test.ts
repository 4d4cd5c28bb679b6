import { defaultParams } from '@hes/contract/action/command-params.ts';
import { token } from '@hes/contract/auth/token.ts';
import { newRole, role } from '@hes/contract/manager/role.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { DCU_ONLINE_STATUSES, dcuOnlineStatus } from '@hes/contract/states/device.ts';
import { expect, test } from 'vitest';

test('a route in the console is its method, path, right and danger; shapes that only the server reads stay there', () => {
  expect(token.issue).toEqual({
    method: 'POST',
    path: '/auth/oauth2/token',
    allow: 'public',
    endangers: 'nothing',
    bodyType: 'form',
    errors: expect.arrayContaining(['INVALID_CLIENT', 'INVALID_GRANT', 'MFA_REQUIRED', 'LOCKED', 'RATE_LIMIT']),
  });
  expect(role.remove).not.toHaveProperty('params');
  expect(role.remove.status).toBe(204);
});

test('an order in the console has its words and rights, without the schema of its params', () => {
  expect(ORDERS.relay_disconnect).not.toHaveProperty('params');
  expect(ORDERS.relay_disconnect).toMatchObject({ priority: 1, danger: 'supply', words: { name: { en: 'Disconnection' } } });
});

test('the shape that a form judges by is there', () => {
  expect(newRole.safeParse({ code: '' }).success).toBe(false);
  expect(defaultParams('billing_period_set')).toEqual({ dayOfMonth: 1, hour: 0 });
});

test('both halves of a module name the same values', () => {
  expect(dcuOnlineStatus.options).toEqual(DCU_ONLINE_STATUSES);
});
