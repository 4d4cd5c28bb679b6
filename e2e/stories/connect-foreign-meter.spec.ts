import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { javaMeter, reportMissing } from '../../packages/dlms-node/test/interop/tools.ts';
import { choose } from '../support/choose.ts';
import { countClicks } from '../support/count-clicks.ts';
import { freePorts } from '../support/free-ports.ts';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const SN = 'GRX0000000000001';
/** Clicks from the dashboard to the first value (issue of the first device). */
const MOST_CLICKS = 15;
const REDIAL_MS = 2_000;
const ONLINE_MS = 90_000;
/** Installation of the independent meter, start of the head-end, and the whole way through the guide. */
const STORY_MS = 300_000;

let meter: ChildProcess | undefined;
let headEnd: HeadEnd | undefined;
let isOver = false;

/** The modem of a meter that listens: connects it to the head-end, and again after every loss. */
function dialIn(meterPort: number, dlmsPort: number): void {
  const up = connect({ port: dlmsPort, host: '127.0.0.1', noDelay: true });
  const down = connect({ port: meterPort, host: '127.0.0.1', noDelay: true });
  up.pipe(down);
  down.pipe(up);
  const end = () => {
    up.destroy();
    down.destroy();
  };
  for (const socket of [up, down]) socket.on('error', end).on('close', end);
  up.once('close', () => {
    if (!isOver) setTimeout(() => dialIn(meterPort, dlmsPort), REDIAL_MS);
  });
}

test.afterAll(async () => {
  isOver = true;
  meter?.stdin?.end();
  await headEnd?.stop();
  if (headEnd) removeDataDir(headEnd.dataDir);
});

test('a meter of an independent stack that dials in delivers its first value, from an empty database and without a document', async ({
  page,
}) => {
  test.setTimeout(STORY_MS);
  const java = await javaMeter();
  // Where the tools are required, as in CI, this fails instead.
  reportMissing([java]);
  if ('missing' in java) return test.skip(true, java.missing);
  const listening = spawn('java', ['-cp', java.classPath, 'GuruxMeter', '', ''], { stdio: ['pipe', 'pipe', 'inherit'] });
  meter = listening;
  const [ports] = (await once(createInterface({ input: listening.stdout }), 'line')) as [string]; // as: the ports of its interfaces
  const [, dlmsPort] = await freePorts();
  headEnd = await start({ env: { HES_DLMS_PORT: String(dlmsPort) } });
  dialIn(Number(ports.split(' ')[0]), dlmsPort);

  await signIn(page, headEnd);
  const clicks = await countClicks(page);
  await page.getByRole('link', { name: /Connect my first device/ }).click();
  await page.getByRole('button', { name: /Direct meter/ }).click();
  await page.getByRole('button', { name: `This one ${SN}` }).click({ timeout: ONLINE_MS });
  await page.getByLabel('Name of the type').fill('Independent meter');
  await choose(page, page.getByRole('combobox', { name: 'Authentication' }), 'Low');
  await page.getByLabel('Client address').fill('3');
  await page.getByLabel(/Password/).fill('12345678');
  await page.getByLabel('Allowed addresses of the device').fill('127.0.0.1');
  await page.getByRole('button', { name: 'Register', exact: true }).click();

  await expect(page.getByRole('heading', { name: 'Test the link' })).toBeVisible({ timeout: ONLINE_MS });
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Negotiated parameters' })).toBeVisible();
  await page.getByRole('button', { name: 'Next', exact: true }).click();

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText(/announces \d+ objects and lists \d+/)).toBeVisible();
  await page.getByRole('button', { name: 'Take over as template' }).click();

  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText('Total Active Energy +')).toBeVisible();
  await expect(page.getByText(/5009 Wh|5\.009 kWh/).first()).toBeVisible();
  expect(await clicks()).toBeLessThanOrEqual(MOST_CLICKS);
});
