import { token } from '@hes/contract/auth/token.ts';
import { newRole, role } from '@hes/contract/manager/role.ts';
import { expect, test } from 'vitest';

test('a route in the console is its method, path, right and danger; shapes that only the server reads stay there', () => {
  expect(token.issue).toEqual({
    method: 'POST',
    path: '/auth/oauth2/token',
    summary: 'Sign in, or refresh an access token',
    allow: 'public',
    endangers: 'nothing',
    bodyType: 'form',
    errors: expect.arrayContaining(['INVALID_CLIENT', 'INVALID_GRANT', 'MFA_REQUIRED', 'LOCKED', 'RATE_LIMIT']),
  });
  expect(role.remove).not.toHaveProperty('params');
  expect(role.remove.status).toBe(204);
});

test('the shape that a form judges by is there', () => {
  expect(newRole.safeParse({ code: '' }).success).toBe(false);
});
