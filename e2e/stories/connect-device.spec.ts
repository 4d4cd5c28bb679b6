import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import path from 'node:path';
import { expect, test, type Page } from '@playwright/test';
import { choose } from '../support/choose.ts';
import { countClicks } from '../support/count-clicks.ts';
import { freePorts } from '../support/free-ports.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { openResult } from '../support/open-result.ts';
import { signIn } from '../support/sign-in.ts';

const SIMULATOR = path.resolve(import.meta.dirname, '../../apps/simulator/src/main.ts');
const SECRET = 'of this story';
/** Clicks from the dashboard to the first value (issue of the first device). */
const MOST_CLICKS = 15;
const ONLINE_MS = 90_000;
const METER_TYPE = 'REF-1P2W';

interface Device {
  sn: string;
  ek: string;
  ak: string;
  communicationMode?: string;
  dcuSn?: string | null;
}

let headEnd: HeadEnd;
let simulator: ChildProcess;
let meter: Device;
let dcu: Device;
/** The DCU of job d, with its meters. */
let other: Device;
let others: Device[];

/** A fleet of two DCUs with three meters each and one direct meter, none of which the head-end knows. */
async function startFleet(dlmsPort: number): Promise<void> {
  const [controlPort] = await freePorts();
  simulator = spawn(process.execPath, [SIMULATOR], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SIM_SCALE: '2x3',
      SIM_DIRECT: '1',
      SIM_CHANNEL: 'fast',
      SIM_HES_HOST: '127.0.0.1',
      SIM_HES_PORT: String(dlmsPort),
      SIM_CONTROL_PORT: String(controlPort),
      SIM_CONTROL_SECRET: SECRET,
    },
  });
  if (simulator.stdout === null) throw new Error('the simulator has no output');
  for await (const line of createInterface({ input: simulator.stdout })) if (line.includes('"ready":true')) break;
  const answer = await fetch(`http://127.0.0.1:${controlPort}/world`, { headers: { authorization: `Bearer ${SECRET}` } });
  const world = (await answer.json()) as { dcus: Device[]; meters: Device[] }; // as: the commissioning file of the simulator
  const direct = world.meters.find(({ communicationMode }) => communicationMode === 'direct');
  const [first, second] = world.dcus;
  if (direct === undefined || first === undefined || second === undefined) throw new Error('the fleet lacks a device');
  meter = direct;
  dcu = first;
  other = second;
  others = world.meters.filter(({ dcuSn }) => dcuSn === second.sn);
}

test.beforeAll(async () => {
  const [, dlmsPort] = await freePorts();
  headEnd = await start({ env: { HES_DLMS_PORT: String(dlmsPort) } });
  await startFleet(dlmsPort ?? 0);
});

test.afterAll(async () => {
  simulator.stdin?.end();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const step = (page: Page, name: string) => page.getByRole('navigation', { name: 'Steps' }).getByRole('button', { name });

test('a direct meter that dials in delivers its first value, from an empty database', async ({ page }) => {
  await signIn(page, headEnd);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: /Connect my first device/ }).click();
  await page.getByRole('button', { name: /Direct meter/ }).click();
  await page.getByRole('button', { name: `This one ${meter.sn}` }).click({ timeout: ONLINE_MS });
  await page.getByLabel('Name of the type').fill('Modem meter');
  await page.getByLabel(/Encryption key/).fill(meter.ek);
  await page.getByLabel(/Authentication key/).fill(meter.ak);
  await page.getByRole('button', { name: 'Register', exact: true }).click();

  await expect(page.getByRole('heading', { name: 'Test the link' })).toBeVisible({ timeout: ONLINE_MS });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Negotiated parameters' })).toBeVisible();
  await page.getByRole('button', { name: 'Next', exact: true }).click();

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Take over as template' }).click();

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText('Total Active Energy +')).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(MOST_CLICKS);

  await page.getByRole('button', { name: 'Frames', exact: true }).click();
  await expect(page.getByText(/^0001 |00 01 /).first()).toBeVisible();
});

test('a DCU is left half-way, continued, and its meters are found and read', async ({ page }) => {
  await signIn(page, headEnd);
  await page.goto(`${headEnd.address}/hes/assets/connect-device`);
  await page.getByRole('button', { name: /Data concentrator/ }).click();
  await page.getByRole('button', { name: `This one ${dcu.sn}` }).click({ timeout: ONLINE_MS });
  await choose(page, page.getByRole('combobox', { name: 'Type' }), /Reference/);
  await page.getByLabel(/Encryption key/).fill(dcu.ek);
  await page.getByLabel(/Authentication key/).fill(dcu.ak);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Test the link' })).toBeVisible({ timeout: ONLINE_MS });

  await page.goto(`${headEnd.address}/hes/assets/connect-device`);
  await page.getByRole('button', { name: new RegExp(dcu.sn) }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText(/of \d+ objects present/)).toBeVisible();
  await step(page, 'Find its meters').click();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await choose(page, page.getByRole('combobox', { name: 'Type of the new meters' }), /1P2W/);
  await page.getByRole('button', { name: 'Register and bind', exact: true }).click();
  await expect(page.getByText('3 meters bound').first()).toBeVisible();
});

test('job d: a DCU that calls is registered; its meters are imported, bound and dispatched, in at most 15 clicks', async ({ page }) => {
  await signIn(page, headEnd);
  const clicks = await countClicks(page);
  await openResult(page, 'DCU', /^Assets-DCU$/);
  await page.getByRole('button', { name: /Unregistered DCUs/ }).click();
  await page.getByRole('button', { name: `Register ${other.sn}` }).click({ timeout: ONLINE_MS });
  const form = page.getByRole('dialog', { name: 'Register DCU' });
  await choose(page, form.getByRole('combobox', { name: 'Type', exact: true }), /Reference/);
  await form.getByLabel(/Encryption key/).fill(other.ek);
  await form.getByLabel(/Authentication key/).fill(other.ak);
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('complementary').getByRole('button', { name: 'Import its meters' }).click();
  const drawer = page.getByRole('dialog', { name: /^Import / });
  const chooser = page.waitForEvent('filechooser');
  await drawer.getByText('Choose a file', { exact: true }).click();
  const lines = others.map(({ sn, ek, ak }) => [sn, METER_TYPE, 'plc', other.sn, ek, ak].join(','));
  const list = ['sn,typeCode,communicationMode,dcuSn,ek,ak', ...lines].join('\n');
  await (await chooser).setFiles({ name: 'delivery.csv', mimeType: 'text/csv', buffer: Buffer.from(list) });
  await drawer.getByRole('button', { name: `Import ${others.length} lines` }).click();
  await expect(drawer.getByText(new RegExp(`${others.length} added`))).toBeVisible();
  await drawer.getByRole('button', { name: `Dispatch to ${other.sn}` }).click();
  await expect(page).toHaveURL(/archives-dispatch\?.*task=\d+/);
  expect(await clicks()).toBeLessThanOrEqual(MOST_CLICKS);
  await expect(page.getByRole('dialog')).toContainText('Dispatched, confirmed by read-back', { timeout: ONLINE_MS });
});
