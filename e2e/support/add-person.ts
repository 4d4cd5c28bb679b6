import { expect, type Page } from '@playwright/test';
import { ageRights } from './age-rights.ts';
import type { NewPerson } from './create-user.ts';
import { PASSWORD, type HeadEnd } from './head-end.ts';
import { giveProof } from './sign-in.ts';

/** Creates a user with rested rights by the API of the head-end, as the administrator of a signed-in page. */
export async function addPerson(page: Page, headEnd: HeadEnd, { role, ...person }: NewPerson): Promise<void> {
  await giveProof(page, PASSWORD);
  const status = await page.evaluate(
    async ([code, fields]) => {
      const token = JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }; // as: the console stored it
      const headers = { authorization: `Bearer ${token.access_token ?? ''}`, 'content-type': 'application/json' };
      const roles = (await (await fetch('/api/manager/role?size=100', { headers })).json()) as { items: { id: string; code: string }[] }; // as: what the contract says
      const roleIds = roles.items.flatMap((one) => (one.code === code ? [one.id] : []));
      const body = JSON.stringify({ ...fields, roleIds, mustChangePassword: false });
      return (await fetch('/api/manager/user', { method: 'POST', headers, body })).status;
    },
    [role, person] as const,
  );
  expect(status).toBe(201);
  await ageRights(headEnd);
}
