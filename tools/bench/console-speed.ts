import { setTimeout as pause } from 'node:timers/promises';
import { chromium, type Browser, type CDPSession, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from '../../e2e/support/head-end.ts';
import { settled } from '../../e2e/support/settled.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { ensureBrowser } from '../lib/browser.mjs';
import { quantile } from './interleaved.ts';

const CPU_SLOWDOWN = 4;
const GATE_CHANGE_MS = 600;
const GATE_THEME_TASK_MS = 600;
const GATE_FRAMES_PER_SECOND = 30;
const FRAME_MS = 1000 / GATE_FRAMES_PER_SECOND;
const SECOND_MS = 1000;

const TARGETS = 2000;
const DCUS = 10;
const FLEET_SCALE = `${DCUS}x${TARGETS / DCUS}`;
/** Each starts with the dashboard only, with an empty cache. */
const WINDOWS = 3;
const LOOK_EVERY_MS = 500;
const TOWN_WITHIN_MS = 180_000;
const RUN_WITHIN_MS = 300_000;
/** Idle time after the first paint, so the next change starts on an idle page. */
const REST_MS = 1500;
const CHANGE_WITHIN_MS = 60_000;

interface Stop {
  /** Label in the search. */
  label: string;
  path: string;
  /** Selector of the main content of the page. */
  shows: string;
}

const ROW = 'main tr[data-row]';
const TREE = 'main .ant-tree-treenode';
const FIGURE = 'main [data-value]';
const DASHBOARD: Stop = { label: 'Dashboard', path: '/dashboard', shows: FIGURE };
/** The heavy pages: lists, many readings, analysis, canvas, live operation. */
const ROUND: readonly Stop[] = [
  { label: 'Assets-DCU', path: '/assets/dcu', shows: ROW },
  { label: 'Assets-Meter Asset Discovery', path: '/assets/meter-asset-discovery', shows: ROW },
  { label: 'Meter-Auto Meter Reading', path: '/meter/auto-meter-reading', shows: TREE },
  { label: 'Meter-Collect Plan', path: '/meter/collect-plan', shows: ROW },
  { label: 'Meter-Meter Event', path: '/meter/meter-event', shows: FIGURE },
  { label: 'Action-On-Demand Reading', path: '/action/on-demand-reading', shows: TREE },
  { label: 'Meter Management-MDMS-Electricity Bill', path: '/meter-management/mdms/electric-bill', shows: FIGURE },
];

interface Change {
  path: string;
  /** From the press until the requested content is painted. */
  ms: number;
  /** Processor time of the page's main thread meanwhile, which depends less on other load. */
  cpuMs: number;
  longestTaskMs: number;
}

interface Watch {
  tasks: { at: number; ms: number }[];
  frames: number[];
  change: Promise<{ ms: number; longestTaskMs: number }>;
}

declare global {
  interface Window {
    watch: Watch;
  }
}

/** Records tasks of the main thread longer than 50 ms, from the start of every page. */
function watchTasks(): void {
  window.watch = { tasks: [], frames: [], change: Promise.resolve({ ms: 0, longestTaskMs: 0 }) };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.watch.tasks.push({ at: startTime, ms: duration });
  }).observe({ type: 'longtask', buffered: true });
}

/** Waits from the next press until the main content of a page is painted. */
const awaitChange = (page: Page, { path, shows }: Stop) =>
  page.evaluate(
    (wanted) => {
      const isThere = () =>
        location.pathname.endsWith(wanted.path) && [...document.querySelectorAll(wanted.shows)].some((one) => one.checkVisibility());
      window.watch.change = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`${wanted.path} does not show ${wanted.shows}`)), wanted.withinMs);
        const begin = (event: Event) => {
          const done = () => {
            const ms = performance.now() - event.timeStamp;
            const since = window.watch.tasks.filter(({ at, ms: length }) => at + length > event.timeStamp);
            resolve({ ms, longestTaskMs: Math.max(0, ...since.map((task) => task.ms)) });
          };
          // The turn after a frame: its content has been painted.
          const look = () => (isThere() ? setTimeout(done) : requestAnimationFrame(look));
          requestAnimationFrame(look);
        };
        addEventListener('click', begin, { capture: true, once: true });
      });
    },
    { path, shows, withinMs: CHANGE_WITHIN_MS },
  );

async function busyMs(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return SECOND_MS * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

async function changeTo(page: Page, cdp: CDPSession, stop: Stop, press: () => Promise<void>): Promise<Change> {
  await pause(REST_MS);
  await awaitChange(page, stop);
  const before = await busyMs(cdp);
  await press();
  const { ms, longestTaskMs } = await page.evaluate(() => window.watch.change);
  return { path: stop.path, ms, cpuMs: (await busyMs(cdp)) - before, longestTaskMs };
}

/** A signed-in window on a computer four times slower. */
async function slowWindow(browser: Browser, headEnd: HeadEnd, path: string): Promise<{ page: Page; cdp: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 1920, height: 1080 }, locale: 'en-US' });
  const page = await context.newPage();
  await signIn(page, headEnd);
  await page.addInitScript(watchTasks);
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(`${headEnd.address}/hes${path}`);
  await settled(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return { page, cdp };
}

/** Opens each page once, then returns to each. */
async function walk(browser: Browser, headEnd: HeadEnd): Promise<{ opened: Change[]; returned: Change[] }> {
  const { page, cdp } = await slowWindow(browser, headEnd, DASHBOARD.path);
  const opened: Change[] = [];
  const returned: Change[] = [];
  for (const stop of ROUND) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(stop.label);
    const found = page.getByRole('option', { name: stop.label, exact: true });
    await found.waitFor();
    opened.push(await changeTo(page, cdp, stop, () => found.click()));
  }
  // A tab has a close button, too.
  const tabs = page.getByRole('navigation', { name: 'Open pages' }).locator('[title]');
  for (const [place, stop] of [DASHBOARD, ...ROUND].entries())
    returned.push(await changeTo(page, cdp, stop, () => tabs.nth(place).click()));
  await page.context().close();
  return { opened, returned };
}

/** The longest task between the press and the completed change of theme. */
async function themeTask(browser: Browser, headEnd: HeadEnd): Promise<number> {
  const { page } = await slowWindow(browser, headEnd, '/assets/dcu');
  await page.evaluate(() => (window.watch.tasks.length = 0));
  await page.getByRole('button', { name: /^Switch to/ }).click();
  await pause(REST_MS);
  const tasks = await page.evaluate(() => window.watch.tasks.map(({ ms }) => ms));
  await page.context().close();
  return Math.max(0, ...tasks);
}

/** Calls the API with the session of the page. */
function callsOf(page: Page, headEnd: HeadEnd) {
  return async <T>(method: 'GET' | 'POST', path: string, data?: object): Promise<T> => {
    const token = await page.evaluate(
      () => (JSON.parse(localStorage.getItem('HES_TOKEN') ?? '{}') as { access_token?: string }).access_token,
    ); // as: what the session keeps
    const headers = { authorization: `Bearer ${token ?? ''}` };
    const answer = await page.request.fetch(`${headEnd.address}/api${path}`, { method, headers, ...(data ? { data } : {}) });
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${await answer.text()}`);
    const text = await answer.text();
    return (text === '' ? undefined : JSON.parse(text)) as T; // as: the type of the response
  };
}

async function until(what: string, withinMs: number, isSo: () => Promise<boolean>): Promise<void> {
  for (const began = Date.now(); !(await isSo()); await pause(LOOK_EVERY_MS))
    if (Date.now() - began > withinMs) throw new Error(`Timeout: ${what}`);
}

/** Waits until every DCU is connected and every meter registered. */
async function waitForFleet(browser: Browser, headEnd: HeadEnd): Promise<void> {
  const { page } = await slowWindow(browser, headEnd, '/meter/collect-plan');
  const call = callsOf(page, headEnd);
  const count = async (path: string) => (await call<{ total: number }>('GET', path)).total;
  await until(
    'the fleet is taken over',
    TOWN_WITHIN_MS,
    async () =>
      (await count('/asset/dcu?onlineStatus=online&size=1')) >= DCUS &&
      (await count('/asset/meter/inventory?bound=true&size=1')) >= TARGETS,
  );
  await page.context().close();
}

/** Frames of the page of a run from its first result to its last; the run starts when the page is loaded. */
async function framesOfRun(browser: Browser, headEnd: HeadEnd) {
  const { page, cdp } = await slowWindow(browser, headEnd, '/meter/collect-plan');
  const call = callsOf(page, headEnd);
  const { id: planId } = await call<{ id: string }>('POST', '/reading/plan', {
    name: 'Frames',
    type: 'registers',
    items: ['E_PLUS', 'E_MINUS', 'U1', 'I1', 'P_PLUS', 'PF'],
    schedule: '0 0 3 1 1 ? *',
    execution: 'hes_pull',
  });
  const { taskId } = await call<{ taskId: string }>('POST', `/reading/plan/${planId}/run`);
  await call('POST', `/task/${taskId}/pause`);
  await page.goto(`${headEnd.address}/hes/action/on-demand-reading?task=${taskId}`);
  const done = page.getByTestId('run-done');
  await done.waitFor();
  const total = Number(await done.getAttribute('data-total'));
  if (total < TARGETS) throw new Error(`The run has ${total} targets`);
  await settled(page);
  await pause(REST_MS);
  const busyBefore = await busyMs(cdp);
  await page.evaluate(() => {
    const { watch } = window;
    watch.tasks.length = 0;
    watch.frames.length = 0;
    const look = (now: number) => {
      watch.frames.push(now);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await call('POST', `/task/${taskId}/resume`);
  const isEnded = async () => (await call<{ finishedAt: string | null }>('GET', `/task/${taskId}`)).finishedAt !== null;
  await until('the run ends', RUN_WITHIN_MS, isEnded);
  const isShownWhole = (all: number) => document.querySelector('[data-testid="run-done"]')?.getAttribute('data-value') === String(all);
  await page.waitForFunction(isShownWhole, total, { timeout: RUN_WITHIN_MS });
  const { frames, tasks } = await page.evaluate(() => window.watch);
  const cpuMs = (await busyMs(cdp)) - busyBefore;
  await page.context().close();
  return {
    ...framesFigures(frames),
    runCpuMs: Math.round(cpuMs),
    runLongestTaskMs: Math.round(Math.max(0, ...tasks.map(({ ms }) => ms))),
    targets: total,
  };
}

/** Figures of drawn frames from their times in ms: frames in each full second, and display time per frame. */
function framesFigures(frames: readonly number[]) {
  const between = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const [first = 0] = frames;
  const seconds: number[] = [];
  for (const at of frames) {
    const second = Math.floor((at - first) / SECOND_MS);
    while (seconds.length <= second) seconds.push(0);
    seconds[second] = (seconds[second] ?? 0) + 1;
  }
  // The last second is incomplete.
  seconds.pop();
  const shown = between.reduce((sum, ms) => sum + ms, 0);
  const smooth = between.filter((ms) => ms <= FRAME_MS + 1).reduce((sum, ms) => sum + ms, 0);
  return {
    runSeconds: seconds.length,
    framesInMedianSecond: quantile(seconds, 0.5),
    framesInWorstSecond: Math.min(...seconds),
    frameP95Ms: Math.round(quantile(between, 0.95)),
    longestFrameMs: Math.round(Math.max(...between)),
    smoothShare: Number((smooth / shown).toFixed(3)),
  };
}

const rounded = (changes: Change[]) => ({
  medianMs: Math.round(
    quantile(
      changes.map(({ ms }) => ms),
      0.5,
    ),
  ),
  worstMs: Math.round(Math.max(...changes.map(({ ms }) => ms))),
  medianCpuMs: Math.round(
    quantile(
      changes.map(({ cpuMs }) => cpuMs),
      0.5,
    ),
  ),
  worst: changes.toSorted((a, b) => b.ms - a.ms)[0]?.path,
});

const byPath = (changes: Change[]): Record<string, string> =>
  Object.fromEntries(
    [...Map.groupBy(changes, ({ path }) => path)].map(([path, some]) => [
      path,
      [some.map(({ ms }) => ms), some.map(({ cpuMs }) => cpuMs), some.map(({ longestTaskMs }) => longestTaskMs)]
        .map((figures) => Math.round(quantile(figures, 0.5)))
        .join(' / '),
    ]),
  );

/**
 * Measures the console on a computer four times slower: a change of page until it is painted (first and repeated visit),
 * the longest task of a change of theme, and frames while a run of 2,000 meters streams. Needs a quiet machine.
 */
export async function consoleSpeed() {
  const executablePath = await ensureBrowser({ node: process.execPath, env: process.env });
  const headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: FLEET_SCALE } });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await waitForFleet(browser, headEnd);
    const walks = [];
    for (let count = 0; count < WINDOWS; count++) walks.push(await walk(browser, headEnd));
    const opened = walks.flatMap((each) => each.opened);
    const returned = walks.flatMap((each) => each.returned);
    const themeLongestTaskMs = Math.round(await themeTask(browser, headEnd));
    const run = await framesOfRun(browser, headEnd);
    const worst = Math.max(...[...opened, ...returned].map(({ ms }) => ms));
    return {
      ratio: Math.min(
        GATE_CHANGE_MS / worst,
        GATE_THEME_TASK_MS / Math.max(1, themeLongestTaskMs),
        run.framesInWorstSecond / GATE_FRAMES_PER_SECOND,
      ),
      opened: rounded(opened),
      returned: rounded(returned),
      'opened: medians of ms / CPU ms / longest task': byPath(opened),
      'returned to: the same': byPath(returned),
      themeLongestTaskMs,
      ...run,
      windows: WINDOWS,
    };
  } finally {
    await browser.close();
    await headEnd.stop();
    removeDataDir(headEnd.dataDir);
  }
}
