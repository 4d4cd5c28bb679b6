import { chromium, type Browser, type Page } from '@playwright/test';
import { removeDataDir, start } from '../../e2e/support/head-end.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { ensureBrowser } from '../lib/browser.mjs';
import { slowestInteraction } from './filter.ts';

const CPU_SLOWDOWN = 4;
const OCTETS_PER_SECOND = 10_000_000 / 8;
const LATENCY_MS = 20;
const GATE_OCTETS = 1_000_000;
const GATE_LCP_MS = 2500;
const GATE_INTERACTION_MS = 100;
const VISITS = 5;
/** Time after which no larger element is painted. */
const SETTLE_MS = 3000;

interface Visit {
  octets: number;
  lcpMs: number;
}

declare global {
  interface Window {
    lcpMs: number;
  }
}

/** One visit with an empty cache, on a slow computer with a slow connection. */
async function visit(
  browser: Browser,
  address: string,
  storage: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, storageState: storage });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: OCTETS_PER_SECOND,
    uploadThroughput: OCTETS_PER_SECOND,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  let octets = 0;
  cdp.on('Network.loadingFinished', ({ encodedDataLength }) => (octets += encodedDataLength));
  await page.addInitScript(() => {
    window.lcpMs = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.lcpMs = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
  });
  await page.goto(address, { waitUntil: 'load' });
  await page.waitForTimeout(SETTLE_MS);
  const lcpMs = await page.evaluate(() => window.lcpMs);
  await context.close();
  return { octets, lcpMs };
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/**
 * Cost of opening the console: octets on the wire and time to the largest paint, of the median visit; and the response
 * time of filters over a million meters.
 */
export async function w8() {
  const executablePath = await ensureBrowser({ node: process.execPath, env: process.env });
  const headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast' } });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await signIn(page, headEnd);
    const signedIn = await context.storageState();
    const nobody: typeof signedIn = { cookies: [], origins: [] };
    const figures: Record<string, number> = {};
    for (const [name, path, storage] of [
      ['signIn', '/hes/login', nobody],
      ['dashboard', '/hes/dashboard', signedIn],
    ] as const) {
      const visits: Visit[] = [];
      for (let count = 0; count < VISITS; count++) visits.push(await visit(browser, headEnd.address + path, storage));
      figures[`${name}Octets`] = median(visits.map((each) => each.octets));
      figures[`${name}LcpMs`] = Math.round(median(visits.map((each) => each.lcpMs)));
    }
    const ratios = Object.entries(figures).map(([name, value]) => (name.endsWith('Octets') ? GATE_OCTETS : GATE_LCP_MS) / value);
    // Only with the big utility loaded: npm run bench:data.
    const filterMs = await slowestInteraction(browser);
    if (filterMs !== undefined) ratios.push(GATE_INTERACTION_MS / Math.max(1, filterMs));
    const gates = { gateOctets: GATE_OCTETS, gateLcpMs: GATE_LCP_MS, gateFilterMs: GATE_INTERACTION_MS };
    return { ratio: Math.min(...ratios), ...figures, ...(filterMs === undefined ? {} : { filterMs }), ...gates, visits: VISITS };
  } finally {
    await browser.close();
    await headEnd.stop();
    removeDataDir(headEnd.dataDir);
  }
}
