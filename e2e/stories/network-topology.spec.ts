import { expect, test, type Page } from '@playwright/test';
import { askControl, type HeadEnd } from '../support/head-end.ts';
import { shareHeadEnd } from '../support/shared-head-end.ts';

const DCU = 'DCU26000001';
const SETTLES_WITHIN_MS = 90_000;

interface True {
  sn: string;
  parentSn: string | null;
  level: number;
}

let headEnd: HeadEnd;
let page: Page;
shareHeadEnd((shared) => ({ headEnd, page } = shared));

const at = (path: string): string => `${headEnd.address}/hes${path}`;
const truth = async (): Promise<True[]> => ((await (await askControl(headEnd, `/network/${DCU}`)).json()) as { nodes: True[] }).nodes; // as: the type of the response
const change = (kind: 'lose' | 'restore', sn: string) =>
  askControl(headEnd, `/network/${DCU}`, { method: 'POST', body: JSON.stringify({ kind, sn }) });
/** The DCU of the open page: pages of the network name it `dcu`, the list of its stations names it as its query does. */
const dcuId = (): string => {
  const { searchParams } = new URL(page.url());
  return searchParams.get('dcu') ?? searchParams.get('dcuId') ?? '';
};

async function refresh(): Promise<void> {
  const button = page.getByRole('button', { name: 'Refresh from DCU' });
  // The button and the age of the topology load together; a topology that was never read shows no age.
  await expect(button).toBeEnabled();
  const before = await page.getByText(/read \d{4}-/).allInnerTexts();
  await button.click();
  await expect(async () => expect(await page.getByText(/read \d{4}-/).allInnerTexts()).not.toEqual(before)).toPass({ timeout: 30_000 });
}

test('S-014 S-080 S-158 S-159 S-160: a network is read and shown as tree, network and map with one selection, back in time, and broken links are named', async () => {
  await page.goto(at('/meter-management/network/network-topology?form=list'));
  await page
    .getByRole('list', { name: 'DCU' })
    .getByRole('button', { name: new RegExp(DCU) })
    .click();
  await expect(page.getByRole('button', { name: 'Refresh from DCU' })).toBeEnabled({ timeout: 60_000 });
  await refresh();
  const nodes = await truth();
  const rows = page.getByRole('treegrid', { name: 'List' }).locator('tr[data-sn]');
  await expect(rows).toHaveCount(nodes.length);
  const leaf = nodes.find(({ level, sn }) => level > 1 && nodes.every(({ parentSn }) => parentSn !== sn));
  const parent = leaf?.parentSn ?? '';
  await page.locator(`tr[data-sn="${leaf?.sn}"]`).click();
  await expect(
    page
      .getByRole('complementary', { name: leaf?.sn ?? '' })
      .getByRole('list', { name: 'Route to the DCU' })
      .getByRole('listitem'),
  ).toHaveCount((leaf?.level ?? 0) + 1);

  for (const form of ['Map', 'Tree']) {
    await page.getByText(form, { exact: true }).click();
    await expect(page.getByTestId('topology-canvas')).toBeVisible();
  }
  await page.getByText('Network', { exact: true }).click();
  await expect(page.getByRole('complementary', { name: leaf?.sn ?? '' })).toBeVisible();
  await page.getByTestId('topology-canvas').focus();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('complementary', { name: parent })).toBeVisible();
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();

  for (const [name, ending] of [
    ['GraphML', '.graphml'],
    ['PNG', '.png'],
    ['CSV', '.csv'],
  ] as const) {
    const file = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name }).click();
    expect((await file).suggestedFilename()).toBe(`topology-${DCU}${ending}`);
  }

  await change('lose', parent);
  await refresh();
  await page.getByRole('combobox', { name: 'Compare with' }).click();
  await page.locator('.ant-select-item-option').last().click();
  await expect(page.getByTestId('diff').locator(`[data-relay="${parent}"]`)).toContainText('Lost with relay');
  await change('restore', parent);
});

test('S-034 S-095: stations are read with their modules, pinged, and one is restarted and confirmed', async () => {
  const id = dcuId();
  await page.goto(at(`/system/debug/sta-model?dcuId=${id}`));
  await page.getByRole('button', { name: 'Read model' }).click();
  const run = page.getByRole('dialog', { name: 'Read model' });
  await expect(run.getByText('Modules')).toBeVisible({ timeout: 30_000 });
  await run.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('grid', { name: 'STA Model' }).locator('tr[data-row]').nth(3).click();
  const pane = page.getByRole('complementary').last();
  await expect(pane.getByText(/^20\d\d-\d\d-\d\d$/).first()).toBeVisible();
  await expect(pane.getByRole('img', { name: 'Signal, 7 days' }).or(pane.getByText('No data yet'))).toBeVisible();
  const neighbours = pane.getByRole('list', { name: 'Neighbours' }).getByRole('button');
  const neighbour = ((await neighbours.first().locator('span').first().textContent()) ?? '').replaceAll(/\s/g, '');
  await neighbours.first().click();
  await expect(page.getByRole('complementary', { name: neighbour })).toBeVisible();
  await pane.getByRole('button', { name: 'Ping' }).click();
  await expect(pane.getByRole('list', { name: 'Answers' }).getByRole('listitem')).toHaveCount(4, { timeout: 30_000 });
  await pane.getByRole('button', { name: 'Restart station' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('Deaf since noon');
  await dialog.getByRole('button', { name: 'Restart station' }).click();
  await expect(page.getByText('Restarts now')).toBeVisible({ timeout: 60_000 });
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
});

test('S-035 S-096: the media of a network are changed, it settles with figures before and after, and the change is reverted', async () => {
  await page.goto(at(`/system/debug/network-topology-switch?dcu=${dcuId()}`));
  await page.getByRole('button', { name: 'Power line only' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Radio is disturbed');
  await page.getByRole('dialog').getByRole('button', { name: 'Power line only' }).click();
  const log = page.getByRole('grid', { name: 'Switch log' });
  const row = log.getByRole('row', { name: /Radio is disturbed/ });
  await expect(row).toContainText('Settled', { timeout: SETTLES_WITHIN_MS });
  await expect(row).toContainText('Dual mode');
  await row.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('Quiet again');
  await page.getByRole('dialog').getByRole('button', { name: 'Dual mode' }).click();
  await expect(log.getByRole('row', { name: /Quiet again/ })).toContainText('Settled', { timeout: SETTLES_WITHIN_MS });
});
