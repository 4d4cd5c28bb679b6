import { SPOKEN, type Spoken } from '@hes/contract/asset/spoken.ts';
import { ADDRESSING_TEXT, AUTHENTICATION_TEXT, PROTOCOL_TEXT, SECURITY_SUITE_TEXT } from '@hes/contract/text/type-text.ts';
import { expect, test, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

let headEnd: HeadEnd;
let page: Page;

test.describe.configure({ mode: 'default' });
test.beforeAll(async ({ browser }) => {
  test.setTimeout(150_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast' } });
  page = await (await browser.newContext({ viewport: { width: 1600, height: 900 } })).newPage();
  await signIn(page, headEnd);
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const open = (name: string) => page.goto(`${headEnd.address}/hes/assets/${name}`);
const button = (name: string) => page.getByRole('button', { name, exact: true });
const says = (text: string) => expect(page.getByText(text, { exact: true }).last()).toBeVisible();

test('S-440 S-441 S-442 S-516: a level is added next to and below another, one unsaved at a time, and deleted when empty', async () => {
  await open('network');
  await expect(page.getByRole('tree')).toContainText('Lanting');
  await button('Add subordinate level').click();
  await says('Please Select Node!');
  await button('Delete').click();
  await says('Please Select Level Info!');

  await page.getByRole('tree').getByText('North Bank').click();
  await expect(page.getByRole('heading', { name: 'North Bank' })).toBeVisible();
  await button('Add subordinate level').click();
  const form = page.getByRole('form', { name: 'Level info' });
  await expect(form.getByLabel('Code')).toHaveValue('LT-NB-1');
  await button('Add peer level').click();
  await says('Please Save Level Info!');
  await form.getByLabel('Name').fill('Feeder 7');
  await form.getByLabel('Longitude').fill('120.85');
  await button('Save').click();
  await says('Latitude is required');
  await form.getByLabel('Latitude').fill('31.37');
  await button('Save').click();
  await expect(page.getByRole('heading', { name: 'Feeder 7' })).toBeVisible();

  await page.getByRole('tab', { name: /Transformers at this level/ }).click();
  await says('No Current SN Data!');
  await button('Add peer level').click();
  await form.getByLabel('Name').fill('Feeder 8');
  await button('Save').click();
  await expect(page.getByRole('tree').getByText('Feeder 8')).toBeVisible();

  const choose = async (name: string) => {
    await page.getByRole('tree').getByText(name).click();
    await expect(page.getByRole('heading', { name, exact: true })).toBeVisible();
  };
  await choose('North Bank');
  await button('Delete').click();
  await says('Are You Sure To Delete?');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(dialog.getByRole('alert')).toContainText('Level is not empty: levels: 2, transformers: 4.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  for (const name of ['Feeder 7', 'Feeder 8']) {
    await choose(name);
    await button('Delete').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('tree').getByText(name)).toHaveCount(0);
  }
});

test('S-010 S-435: a supplier is added with a valid phone number, and deleted when no type refers to it', async () => {
  await open('supplier-management');
  await button('Add supplier').click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Code').fill('nova');
  await form.getByRole('textbox', { name: 'Name' }).fill('Nova Meters');
  await form.getByLabel('FLAG ID').fill('NVA');
  await form.getByLabel('Phone').fill('call me');
  await form.getByRole('button', { name: 'Save' }).click();
  await says('Phone Number Is Not Valid');
  await form.getByLabel('Phone').fill('+86 21 5555 0000');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /NOVA/ });
  await expect(row).toBeVisible();
  await row.getByRole('button', { name: 'Actions for Nova Meters' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await says('Are You Sure To Delete?');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(row).toHaveCount(0);
});

test('S-005 S-443 S-444 S-445: a transformer is placed on the map, and DCUs are bound to one transformer only', async () => {
  await open('transformer');
  await button('Bind DCU').click();
  await says('Please Select Current Transformer Data');
  await page.getByRole('tree').getByText('Harbour').click();
  // A new transformer starts at the selected level.
  await expect(page.getByText(/^1–4 of 4 /)).toBeVisible();
  await button('Add transformer').click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill('New Pier');
  await form.getByRole('application', { name: 'Place on the map' }).click({ position: { x: 300, y: 120 } });
  await expect(form.getByLabel('Longitude')).not.toHaveValue('');
  await form.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('row', { name: /New Pier/ });
  await expect(row).toContainText('No DCU');
  await row.click();
  await page.getByRole('complementary', { name: 'New Pier' }).getByRole('button', { name: 'Bind DCU' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('checkbox', { name: /DCU26000001/ }).check();
  await dialog.getByRole('button', { name: 'Bind', exact: true }).click();
  await says('Exist Data Has Been Bound!');
  await dialog.getByRole('button', { name: 'Unbind' }).click();
  await says('Exist Data Not Bind!');
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  await page.getByRole('radiogroup', { name: 'View' }).getByText('Map').click();
  await expect(page.getByRole('application', { name: 'Transformers on the map' })).toBeVisible();
});

test('S-011: a live DCU is compared with its type, line by line, and the supported pages are named', async () => {
  await open('dcu-type-management');
  await page.getByRole('row', { name: /DC-P100/ }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Conformance check' }).click();
  await page.getByRole('combobox', { name: 'DCU to check' }).click();
  await page.locator('.ant-select-item-option:not(.ant-select-item-option-disabled)').first().click();
  await button('Start').click();
  const pages = page.getByRole('region', { name: 'Pages that will work' });
  await expect(pages).toBeVisible({ timeout: 20_000 });
  await expect(pages.getByRole('listitem').filter({ hasText: 'Archives Dispatch' })).toContainText('Works');
  await expect(page.getByRole('row', { name: /CLOCK/ })).toContainText('Present');
});

test('S-012: the objects of a live meter are read and compared with the template', async () => {
  await open('meter-type-management');
  await page.getByRole('row', { name: /SM-1P/ }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Learn from meter' }).click();
  await page.getByRole('combobox', { name: 'Meter to learn from' }).click();
  await page.locator('.ant-select-item-option:not(.ant-select-item-option-disabled)').nth(1).click();
  await button('Start').click();
  await expect(page.getByText(/^Same: \d+ · new: \d+/)).toBeVisible({ timeout: 20_000 });
});

const AUTHENTICATIONS = offeredOf(SPOKEN.authenticationType, AUTHENTICATION_TEXT);
const PROTOCOLS = offeredOf(SPOKEN.protocol, PROTOCOL_TEXT);

/** Labels of the supported and unsupported options. */
function offeredOf<K extends string>(spoken: Record<K, Spoken>, texts: Record<K, { en: string }>) {
  const words = Object.keys(texts) as K[]; // as: keys of that very table
  const labels = (wanted: boolean) => words.filter((word) => (spoken[word] === true) === wanted).map((word) => texts[word].en);
  return { offered: labels(true), left: labels(false) };
}

/** Checks the list of a field: it has exactly these options, and its help names the unsupported ones, if there are any. */
async function offers(label: string, { offered, left }: ReturnType<typeof offeredOf>): Promise<void> {
  const field = page.getByRole('dialog').getByRole('combobox', { name: label, exact: false });
  await expect(field).toHaveAccessibleDescription(left.length === 0 ? '' : `Not supported yet: ${left.join('; ')}`);
  await field.click();
  const options = page.locator('.ant-select-dropdown:not(.ant-select-dropdown-hidden) .ant-select-item-option');
  await expect(options).toHaveText(offered);
  await field.press('Escape');
}

for (const [address, add, fields] of [
  ['dcu', 'Register DCU', { Protocol: PROTOCOLS, 'Authentication type': AUTHENTICATIONS }],
  ['dcu-type-management', 'Add DCU type', { Protocol: PROTOCOLS, 'Authentication type': AUTHENTICATIONS }],
  [
    'meter-type-management',
    'Add meter type',
    {
      'Authentication type': AUTHENTICATIONS,
      'Security suite': offeredOf<string>(SPOKEN.securitySuite, SECURITY_SUITE_TEXT),
      Addressing: offeredOf(SPOKEN.addressing, ADDRESSING_TEXT),
    },
  ],
] as const)
  test(`S-174 S-178: "${add}" offers the supported options, and names the unsupported ones`, async () => {
    await open(address);
    await button(add).click();
    for (const [label, choices] of Object.entries(fields)) await offers(label, choices);
    const form = page.getByRole('dialog');
    for (const label of ['Features', 'Master key (KEK)']) await expect(form.getByLabel(label)).toHaveCount(0);
    const ofMeters = address === 'meter-type-management' ? 1 : 0;
    for (const label of ['Peculiarities', 'Image block size']) await expect(form.getByLabel(label)).toHaveCount(ofMeters);
  });

test('a built-in type is marked, keeps its code and cannot be deleted', async () => {
  await open('dcu-type-management');
  const row = page.getByRole('row', { name: /REF-DCU/ });
  await expect(row).toContainText('Reference DCUBuilt-In');
  await row.getByRole('button', { name: 'Actions for Reference DCU' }).click();
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog');
  await expect(form.getByLabel('Code')).toBeDisabled();
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeEnabled();
});

test('the prompts exist in Chinese, too', async () => {
  await open('network');
  await page.evaluate(() => localStorage.setItem('SYS_LOCALE', 'zh-CN'));
  await page.reload();
  await button('新增同级').click();
  await says('请选择节点！');
  await button('删除').click();
  await says('请选择层级信息！');
  await open('transformer');
  await button('绑定集中器').click();
  await says('请选择当前变压器数据');
});
