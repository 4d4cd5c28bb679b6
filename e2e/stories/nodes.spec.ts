import { expect, test } from '@playwright/test';
import { urlOf } from '../../apps/server/src/db/pool.ts';
import { readMasterKey } from '../../apps/server/src/platform/data-folder.ts';
import { ageRights, ownerOf } from '../support/age-rights.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const WITHIN_MS = 30_000;

/** Two head-ends on one database: the first one has it built in. */
let [first, second]: HeadEnd[] = [];
const both = () => [first as HeadEnd, second as HeadEnd] as const; // as: started before the first test
test.beforeAll(async () => {
  test.setTimeout(180_000);
  first = await start({ env: { HES_NODE_NAME: 'north' } });
  await ageRights(first);
  const env = { DATABASE_URL: urlOf(ownerOf(first)), HES_MASTER_KEY: readMasterKey(first.dataDir).toString('hex'), HES_NODE_NAME: 'south' };
  second = await start({ env });
});
test.afterAll(async () => {
  for (const headEnd of [second, first]) {
    await headEnd?.stop();
    if (headEnd !== undefined) removeDataDir(headEnd.dataDir);
  }
});

test('a node is drained and resumed from the console of another one, and the page tells what happened', async ({ page }) => {
  const [north, south] = both();
  await signIn(page, north);
  await page.goto(`${north.address}/hes/system/system-management/nodes`);
  const rowOf = (name: string) => page.getByRole('grid', { name: 'Nodes' }).getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(rowOf('north')).toContainText('Alive');
  await expect(rowOf('south')).toContainText('Alive');
  await rowOf('south').getByRole('button', { name: 'Drain' }).click();
  const dialog = page.getByRole('dialog', { name: 'Drain node south?' });
  await expect(dialog).toContainText('No order fails by it');
  await dialog.getByRole('button', { name: 'Drain' }).click();
  await expect(rowOf('south')).toContainText('Drained', { timeout: WITHIN_MS });
  const readiness = await fetch(`${south.address}/readyz`);
  expect([readiness.status, ((await readiness.json()) as { missing: string[] }).missing]).toEqual([503, ['draining']]); // as: problem details
  expect((await fetch(`${south.address}/livez`)).status).toBe(200);
  // The last one that takes work stays.
  await expect(rowOf('north').getByRole('button', { name: 'Drain' })).toBeDisabled();

  // A node that is drained keeps its console, where it is resumed.
  await signIn(page, south);
  await page.goto(`${south.address}/hes/system/system-management/nodes`);
  await rowOf('south').getByRole('button', { name: 'Resume' }).click();
  await expect(rowOf('south')).toContainText('Alive', { timeout: WITHIN_MS });
  await expect.poll(async () => (await fetch(`${south.address}/readyz`)).status, { timeout: WITHIN_MS }).toBe(200);
  const events = page.getByRole('region', { name: 'Movements' });
  for (const text of ['Began to drain', 'Handed over all devices', 'Takes work again']) await expect(events).toContainText(text);

  // A node that stops says so.
  await signIn(page, north);
  await page.goto(`${north.address}/hes/system/system-management/nodes`);
  await south.stop();
  await expect(rowOf('south')).toContainText('Not running', { timeout: WITHIN_MS });
  await expect(events).toContainText('Shut down');
});
