import { expect, type Page } from '@playwright/test';
import { ageRights } from './age-rights.ts';
import { choose } from './choose.ts';
import type { HeadEnd } from './head-end.ts';

export interface NewPerson {
  username: string;
  password: string;
  name: string;
  /** Code of the role. */
  role: string;
}

/** Creates a user with rested rights who can sign in immediately, through the API of an administrator. */
export async function createUser(page: Page, headEnd: HeadEnd, { username, password, name, role }: NewPerson): Promise<void> {
  await page.goto(`${headEnd.address}/hes/system/system-management/user-management`);
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('User name').fill(username);
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await choose(page, form.getByRole('combobox', { name: 'Role' }), `(${role})`);
  await form.getByRole('textbox', { name: 'Password', exact: true }).fill(password);
  await form.getByRole('checkbox', { name: /At the next sign-in/ }).uncheck();
  await form.getByRole('button', { name: 'Save' }).click();
  // The form has a button of that name too, until the user is created.
  const secret = page.getByRole('dialog', { name: `Password of ${username}` });
  await secret.getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('row', { name })).toBeVisible();
  await ageRights(headEnd);
}
