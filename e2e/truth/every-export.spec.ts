import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RUN_KINDS, runPageOf } from '@hes/contract/task/order.ts';
import { expect, test, type Download, type Locator, type Page } from '@playwright/test';
import { compareSheets, compareTable, type Difference, type ScreenTable } from '../../tools/truth/compare.ts';
import { parseCsv, parseWorkbook } from '../../tools/truth/files.ts';
import { PASSWORD, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { settled } from '../support/settled.ts';
import { giveProof, signIn } from '../support/sign-in.ts';
import { cardDifferences } from './cards.ts';
import { ordersOf, possible } from './orders.ts';
import { heatDifferences } from './heat-map.ts';
import { asker, seed, silence } from './seed.ts';
import { screenTables } from './screen-table.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Pattern of addresses that limits the comparison to some pages and runs. Lists left out count as missing. */
const ONLY = new RegExp(process.env['HES_TRUTH_ONLY'] ?? '');
const pagesFolder = path.join(ROOT, 'apps/web/src/pages');
const PAGES = globSync('**/page.tsx', { cwd: pagesFolder })
  .map((file) => `/${path.dirname(file)}`)
  .filter((address) => !['/login', '/403'].includes(address) && ONLY.test(address))
  // An export is recorded in the audit log, so the log of another entity is used, which does not change.
  .map((address) => (address.endsWith('/audit') ? `${address}?entity=user` : address))
  .toSorted();
/** `/export/dcu POST …`: every list that can be exported. */
const EXPORTS = readFileSync(path.join(ROOT, '__golden__/routes.txt'), 'utf8')
  .split('\n')
  .flatMap((line) => /^\/export\/([a-z-]+) POST/.exec(line)?.[1] ?? []);

const ALL_WITHIN_MS = 90 * 60_000;
const READY_WITHIN_MS = 900_000;
const DATA_WITHIN_MS = 240_000;
const RUN_WITHIN_MS = 90_000;
/** Time limit for a busy machine; a list that exceeds it counts as missing. */
const PRESSED_WITHIN_MS = 60_000;
const MENU_WITHIN_MS = 10_000;
/** Attempts: a list that changes during the comparison is compared again. */
const TRIES = 5;
const DAY_MS = 86_400_000;
const METERS = 4;

interface Compared {
  name: string;
  where: string;
  rows: number;
  differences: Difference[];
}

let headEnd: HeadEnd;
let page: Page;
let authorization = '';
let timeZone = '';
/** English names of the read objects, by key. */
let itemNames: ReadonlyMap<string, string> = new Map();
/** By name of the export route, or by address for files that the console writes itself. */
const compared = new Map<string, Compared>();
/** Exports without a table: pictures, series, a menu form. */
const withoutTable: string[] = [];
/** Data that could not be created for a list. */
let notMade: string[] = [];

test.describe.configure({ mode: 'serial', retries: 0, timeout: ALL_WITHIN_MS });
test.beforeAll(async ({ browser }) => {
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: '3x12' }, readyWithinMs: READY_WITHIN_MS });
  // Wide enough for the columns of low rank.
  page = await (await browser.newContext({ viewport: { width: 3840, height: 2160 } })).newPage();
  page.on('request', (request) => {
    authorization = request.headers()['authorization'] ?? authorization;
  });
  await signIn(page, headEnd);
});
test.afterAll(async () => {
  await page.context().close();
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const ask: ReturnType<typeof asker> = (path, body, method) => asker(headEnd, () => authorization)(path, body, method);

const open = async (address: string): Promise<void> => {
  await page.goto(`${headEnd.address}/hes${address}`);
  // A page that does not finish loading has no list: its lists are then reported as missing.
  await settled(page).catch(() => undefined);
};

const bytesOf = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

interface Exported {
  /** Name of the route if the server wrote the file. */
  list: string | undefined;
  csv: string[][];
  workbook: Buffer | undefined;
}

/** Presses an export button, which opens the server's menu of formats or saves a file. Undefined for a file that is not a list. */
async function press(button: Locator): Promise<Exported | undefined> {
  let list: string | undefined;
  const watch = (request: { url(): string }) => {
    list = /\/api\/export\/([a-z-]+)$/.exec(new URL(request.url()).pathname)?.[1] ?? list;
  };
  page.on('request', watch);
  try {
    const formatOf = (name: RegExp) => page.getByRole('menuitem', { name }).filter({ visible: true }).first();
    const save = async (act: () => Promise<void>): Promise<Download | undefined> => {
      const download = page.waitForEvent('download', { timeout: PRESSED_WITHIN_MS }).catch(() => undefined);
      await act();
      return download;
    };
    const atOnce = page.waitForEvent('download', { timeout: MENU_WITHIN_MS }).catch(() => undefined);
    await button.click();
    const menu = page
      .getByRole('menu')
      .filter({ visible: true })
      .first()
      .waitFor({ timeout: MENU_WITHIN_MS })
      .then(() => undefined);
    const download = await Promise.race([atOnce, menu.catch(() => atOnce)]);
    if (download)
      return download.suggestedFilename().endsWith('.csv')
        ? { list, csv: parseCsv((await bytesOf(download)).toString('utf8')), workbook: undefined }
        : undefined;
    const hasCsv = await formatOf(/CSV/).isVisible();
    const hasWorkbook = await formatOf(/XLSX/).isVisible();
    if (!hasCsv) {
      await page.keyboard.press('Escape');
      return undefined;
    }
    const csv = await save(() => formatOf(/CSV/).click());
    if (csv === undefined) return undefined;
    const workbook = hasWorkbook
      ? await save(async () => {
          await button.click();
          await formatOf(/XLSX/).click();
        })
      : undefined;
    return { list, csv: parseCsv((await bytesOf(csv)).toString('utf8')), workbook: workbook && (await bytesOf(workbook)) };
  } finally {
    page.off('request', watch);
  }
}

const headingsIn = (table: ScreenTable, head: readonly string[]): number =>
  table.columns.filter(({ heading }) => head.some((each) => each.startsWith(heading.replace(/ \([^()]*\)$/, '')))).length;

/** The table with the headings of a file. */
async function tableOf(head: readonly string[]): Promise<ScreenTable | undefined> {
  const tables = await screenTables(page);
  return tables.filter((table) => headingsIn(table, head) > 0).toSorted((a, b) => headingsIn(b, head) - headingsIn(a, head))[0];
}

/** Differences of a page that shows its list as a tree: every name of the tree must be in the file. Undefined without a tree. */
async function treeDifferences(csv: string[][]): Promise<{ names: number; differences: Difference[] } | undefined> {
  const names = (await main().getByRole('treeitem').filter({ visible: true }).allInnerTexts())
    .map((text) => text.split('\n')[0]?.trim() ?? '')
    .filter((text) => text !== '');
  if (names.length === 0) return undefined;
  const filed = new Set(csv.slice(1).flat());
  const lost = names.filter((name) => !filed.has(name));
  // Such a tree only selects the scope of the list.
  if (lost.length * 2 > names.length) return undefined;
  return { names: names.length, differences: lost.map((name) => ({ kind: 'rows', where: 'tree', screen: name, file: 'none' })) };
}

/** Exports until a file equals the table shown before or after it, since lists change. */
async function compareButton(button: Locator, where: string, { tries = TRIES, alter = (csv: string[][]) => csv } = {}): Promise<void> {
  let last: Compared | undefined;
  for (let round = 0; round < tries; round += 1) {
    const before = await screenTables(page);
    const pressed = await press(button);
    if (pressed === undefined) return;
    const csv = alter(pressed.csv);
    // The workbook is not altered, so it would differ.
    const file = { ...pressed, csv, workbook: csv === pressed.csv ? pressed.workbook : undefined };
    const name = file.list ?? where;
    if (compared.get(name)?.differences.length === 0 && file.csv.length <= 1) return;
    const table = await tableOf(file.csv[0] ?? []);
    const drawn = table ? undefined : ((await heatDifferences(page, file.csv)) ?? (await cardDifferences(page, file.csv, itemNames)));
    if (drawn && drawn.rows > 0) {
      last = { name, where, ...drawn };
      if (drawn.differences.length === 0) break;
      continue;
    }
    if (table === undefined) {
      const tree = file.list === undefined ? undefined : await treeDifferences(file.csv);
      if (tree && !compared.has(name)) compared.set(name, { name, where, rows: tree.names, differences: tree.differences });
      withoutTable.push(file.list === undefined ? where : `${where} (${file.list})`);
      return;
    }
    const earlier = before.find((each) => each.columns.map(({ key }) => key).join() === table.columns.map(({ key }) => key).join());
    const ofWorkbook = file.workbook ? compareSheets(file.csv, parseWorkbook(file.workbook)) : [];
    const attempts = [table, ...(earlier ? [earlier] : [])].map((shown) => compareTable(shown, file.csv, timeZone));
    const differences = [...(attempts.find((found) => found.length === 0) ?? attempts[0] ?? []), ...ofWorkbook];
    last = { name, where, rows: table.rows.length, differences };
    if (differences.length === 0) break;
    await page
      .getByRole('button', { name: 'Refresh' })
      .filter({ visible: true })
      .first()
      .click({ timeout: MENU_WITHIN_MS })
      .catch(() => undefined);
  }
  const known = last && compared.get(last.name);
  // Of two places with the same export, the one with differences or with more rows is reported.
  if (last && (!known || last.differences.length > 0 || (known.differences.length === 0 && last.rows > known.rows)))
    compared.set(last.name, last);
}

const main = () => page.locator('main');
const exportButtons = () =>
  main()
    .getByRole('button', { name: /^Export(?! JSON)/ })
    .filter({ visible: true });

/** Positions of the tabs and view switches of a page, which are redrawn after each press. */
const switches = () => main().locator('[role="tab"]:visible, .ant-segmented-item:visible');

async function compareHere(where: string): Promise<void> {
  const count = await exportButtons().count();
  for (let at = 0; at < count; at += 1) {
    const button = exportButtons().nth(at);
    if (await button.isEnabled()) await compareButton(button, count > 1 ? `${where} #${at}` : where);
  }
}

const nameOf = async (one: Locator): Promise<string> => (await one.innerText().catch(() => '')).trim();

async function pressSwitch(one: Locator): Promise<boolean> {
  if (!(await one.isVisible()) || (await one.getAttribute('aria-selected')) === 'true') return false;
  await one.click({ timeout: PRESSED_WITHIN_MS }).catch(() => undefined);
  await settled(page).catch(() => undefined);
  return true;
}

/** Visits an address, then every tab and view of it, then every view within a tab. */
async function walk(address: string): Promise<void> {
  writeReport();
  await open(address);
  await compareHere(address);
  const names = await switches().allInnerTexts();
  const known = new Set(names.map((name) => name.trim()));
  for (const at of names.keys()) {
    await open(address);
    const first = switches().nth(at);
    if (!(await pressSwitch(first))) continue;
    const name = await nameOf(first);
    await compareHere(`${address} ${name}`);
    // Views that existed before are visited separately.
    const inner = (await switches().allInnerTexts()).map((text) => text.trim()).filter((text) => !known.has(text));
    for (const view of new Set(inner)) {
      const second = main().locator('.ant-segmented-item:visible').filter({ hasText: view }).first();
      if ((await second.count()) > 0 && (await pressSwitch(second))) await compareHere(`${address} ${name} / ${view}`);
    }
  }
}

interface List<R> {
  items: R[];
}

/** Whether the address state of the page has the parameter, so it shows a list per node. */
const takesParameter = (address: string, name: string): boolean =>
  globSync('*.ts*', { cwd: path.join(pagesFolder, address) }).some((file) =>
    new RegExp(String.raw`\b${name}: undefined`).test(readFileSync(path.join(pagesFolder, address, file), 'utf8')),
  );

const missingExports = (): string[] => EXPORTS.filter((list) => (compared.get(list)?.rows ?? 0) === 0);

/** Visits addresses of a page until one has a list with rows; returns the others for lists that are still missing. */
async function firstWithRows(addresses: readonly string[]): Promise<[boolean, string[]]> {
  for (const [at, address] of addresses.entries()) {
    await walk(address);
    if ([...compared.values()].some(({ where, rows }) => rows > 0 && where.startsWith(address))) return [true, addresses.slice(at + 1)];
  }
  return [false, []];
}

function reportOf() {
  const results = [...compared.values()];
  // A list without rows does not verify its file.
  const names = new Set(results.flatMap(({ name, rows }) => (rows > 0 ? [name] : [])));
  // Some pages show a run by its lists.
  const isShownByList = (kind: string): boolean => {
    const address = runPageOf({ kind }) ?? '';
    const isHere = (where: string) => where.split(/[? ]/)[0] === address;
    const hasRuns = results.some(({ name, where }) => name.startsWith('run ') && isHere(where));
    return withoutTable.some(isHere) || (!hasRuns && results.some(({ where }) => isHere(where)));
  };
  const missing = [
    ...missingExports(),
    ...RUN_KINDS.map((kind) => `run ${kind}`).filter((name, at) => !names.has(name) && !isShownByList(RUN_KINDS[at] ?? '')),
  ];
  return { results: results.filter(({ rows, differences }) => rows > 0 || differences.length > 0), missing, withoutTable, notMade };
}

function writeReport(): void {
  if (process.env['HES_TRUTH_REPORT']) writeFileSync(process.env['HES_TRUTH_REPORT'], JSON.stringify(reportOf(), null, 2));
}

/** Compares the runs, then every page without selection, with a transformer and with a DCU. */
async function compareAll(
  runs: readonly { kind: string; address: string }[],
  transformerIds: readonly string[],
  dcuIds: readonly string[],
): Promise<void> {
  for (const { kind, address } of runs) {
    await open(address);
    // The rows of a run load after its head.
    if ((await exportButtons().count()) > 0) await expect(exportButtons().first()).toBeEnabled();
    await compareHere(address);
    const hasOwn = compared.has(address);
    if (hasOwn) Object.assign(compared.get(address) ?? {}, { name: `run ${kind}` });
  }

  const choices = { node: [...transformerIds.map((id) => `transformer:${id}`), ...dcuIds.map((id) => `dcu:${id}`)], dcu: dcuIds };
  const later: string[] = [];
  for (const address of PAGES) {
    const chosen = Object.entries(choices).flatMap(([name, values]) =>
      takesParameter(address, name) ? values.map((value) => `${address}?${name}=${value}`) : [],
    );
    const [found, rest] = await firstWithRows([address, ...chosen]);
    if (found) later.push(...rest);
  }
  // Lists that need another selection than the first with rows.
  for (const address of later) if (missingExports().length > 0) await walk(address);
}

const zoneOfProduct = async (): Promise<string> =>
  (await ask<{ timeZone: string }>('/white/settings').catch(() => ({ timeZone: undefined }))).timeZone ?? 'Asia/Shanghai';

test('a single difference between file and screen is detected', async () => {
  await expect(async () => {
    await open('/assets/dcu');
    await expect(main().locator('tbody tr[data-row]').first()).toBeVisible();
  }).toPass({ timeout: DATA_WITHIN_MS });
  timeZone = await zoneOfProduct();
  const find = async (alter: (csv: string[][]) => string[][]): Promise<string[]> => {
    await compareButton(exportButtons().first(), 'altered', { alter });
    const found = [...compared.values()].flatMap(({ differences }) => differences.map(({ where }) => where));
    compared.clear();
    return found;
  };
  expect(await find((csv) => csv)).toEqual([]);
  // A serial number is in every row from the beginning; a state may be empty.
  const withOneMore = ([head = [], first = [], ...rest]: string[][]) => {
    const at = head.indexOf('SN');
    return [head, first.with(at, `${first[at]}9`), ...rest];
  };
  expect(await find(withOneMore)).toHaveLength(1);
});

test('every list and every run exports the values that it shows', async ({ browser }) => {
  let meters: { id: string; sn: string; transformerId: string | null; dcuId: string | null; meterTypeId: string; isMaster: boolean }[] = [];
  await expect(async () => {
    meters = (await ask<List<(typeof meters)[number]>>('/asset/meter?size=100')).items.filter((meter) => meter.dcuId !== null);
    expect(meters.length).toBeGreaterThan(METERS * 2);
    timeZone = await zoneOfProduct();
  }).toPass({ timeout: DATA_WITHIN_MS });
  const objects = await ask<List<{ key: string; nameEn: string }>>('/reading/obis');
  itemNames = new Map(objects.items.map(({ key, nameEn }) => [key, nameEn]));
  const [{ dcuId } = { dcuId: null }] = meters;
  const transformerIds = [...new Set(meters.flatMap((meter) => meter.transformerId ?? []))];
  const yesterday = new Date(Date.now() - DAY_MS).toLocaleDateString('sv', { timeZone });
  const ofOne = meters.filter((meter) => meter.dcuId === dcuId && !meter.isMaster);
  // Before its history is read, which creates gaps; no command below needs it.
  await silence(headEnd, ofOne.at(-2)?.sn ?? '');
  const dcuIds = [...new Set(meters.flatMap((meter) => meter.dcuId ?? []))];
  const orders = ordersOf({
    meterIds: ofOne.slice(0, METERS).map(({ id }) => id),
    // Without the unresponsive and the protected meter.
    allMeterIds: ofOne.slice(0, -2).map(({ id }) => id),
    dcuIds,
    yesterday,
  });

  const runs: { kind: string; address: string }[] = [];
  for (const kind of RUN_KINDS) {
    const order = orders[kind];
    if (order === undefined || !ONLY.test(runPageOf({ kind }) ?? '')) continue;
    await giveProof(page, PASSWORD);
    const { path: route, body } = await possible(order, ask);
    const { taskId } = await ask<{ taskId: string }>(route, body);
    runs.push({ kind, address: `${runPageOf({ kind }) ?? ''}?task=${taskId}` });
    await expect
      .poll(async () => (await ask<{ state: string }>(`/task/${taskId}`)).state, { timeout: RUN_WITHIN_MS })
      .not.toMatch(/^(waiting|running)$/)
      .catch(() => undefined);
  }
  notMade = await seed({ browser, headEnd, ask, meters: ofOne, dcuId: dcuId ?? '', yesterday });
  try {
    await compareAll(runs, transformerIds, dcuIds);
  } finally {
    writeReport();
  }
  const { results, missing } = reportOf();
  expect(notMade, 'data for lists').toEqual([]);
  expect(missing, 'lists that were not compared').toEqual([]);
  expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
});
