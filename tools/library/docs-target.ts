import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type Page } from '@playwright/test';
import { browserProgram } from './browser-target.ts';
import { buildDocs, PAGES } from './build-docs.ts';
import { recipes } from './examples.ts';
import { ROOT } from './packages.ts';

/** The site lies below a path that it does not know. */
const BELOW = '/some/where/';
const DECODER = 'documents/Frame_decoder.html';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** A vector of a real meter. */
export function vectorOf(name: string): { hex: string; keys?: { ek: string; ak: string } } {
  const vectors = JSON.parse(readFileSync(path.join(ROOT, 'packages/dlms/test/vectors/real-meter.json'), 'utf8')) as {
    name: string;
    hex: string;
    keys?: { ek: string; ak: string };
  }[]; // as: the vectors of this repository
  const found = vectors.find((vector) => vector.name === name);
  if (found === undefined) throw new Error(`no vector ${name}`);
  return found;
}

async function serve(site: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname);
    const file = path.join(site, name.startsWith(BELOW) ? name.slice(BELOW.length) || 'index.html' : 'missing');
    if (!file.startsWith(site) || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' }).end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BELOW}` }; // as: it listens on a port
}

/** Links of the site to files or places that do not exist. */
export function deadLinks(site: string): string[] {
  const texts = new Map(globSync('**/*.html', { cwd: site }).map((file) => [file, readFileSync(path.join(site, file), 'utf8')]));
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(([, target = '']) => {
      if (/^(?:https?:|data:|mailto:)/.test(target)) return [];
      const [name = '', place] = target.split('#');
      const to = name === '' ? file : path.join(path.dirname(file), decodeURIComponent(name));
      if (!existsSync(path.join(site, to))) return [`${file}: ${target}`];
      const isThere = place === undefined || place === '' || texts.get(to)?.includes(`id="${place}"`) !== false;
      return isThere ? [] : [`${file}: ${target}`];
    }),
  );
}

function assert(condition: boolean, sentence: string): void {
  if (!condition) throw new Error(sentence);
}

const status = (page: Page) => page.getByRole('status');

/** A real message, its keys, a fault, the keyboard, the link and the copy. */
async function checkDecoder(page: Page, address: string): Promise<void> {
  await page.goto(address + DECODER);
  await page.getByLabel('Message in hex').fill(vectorOf('push-norway-aidon-1ph').hex);
  await page
    .getByRole('treeitem', { name: /AIDON_V0001/ })
    .last()
    .waitFor();
  const link = page.url();
  assert(link.includes('#hex=0F40'), `the address has no message: ${link}`);
  const root = page.getByRole('treeitem', { name: /dataNotification/ }).first();
  await root.focus();
  await page.keyboard.press('ArrowLeft');
  assert((await root.getAttribute('aria-expanded')) === 'false', 'the left arrow folds nothing');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  assert((await page.locator('.marked').count()) === 4, 'the octets of the field with the focus are not marked');
  await page.getByLabel('Message in hex').fill('C401C10006000013');
  await status(page).filter({ hasText: 'The message ends too early' }).waitFor();
  await page.getByLabel('Message in hex').fill('C4 01 XY');
  await status(page).filter({ hasText: 'which is not a hexadecimal digit' }).waitFor();
  await page.goto('about:blank');
  await page.goto(link);
  await page
    .getByRole('treeitem', { name: /AIDON_V0001/ })
    .last()
    .waitFor();
  await page.getByRole('button', { name: 'Copy as text' }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert(copied.includes('visibleString AIDON_V0001'), `copied was ${copied}`);
}

async function checkKeys(page: Page, address: string): Promise<void> {
  const { hex, keys } = vectorOf('push-lg-e450');
  await page.goto(address + DECODER);
  await page.getByLabel('Message in hex').fill(hex);
  await status(page).filter({ hasText: 'Give the encryption key' }).waitFor();
  await page.getByText('Keys, for ciphered messages').click();
  await page.getByLabel('Encryption key').fill(keys?.ek ?? '');
  await page.getByLabel('Authentication key').fill('00'.repeat(16));
  await status(page).filter({ hasText: 'was not made with these keys' }).waitFor();
  await page.getByLabel('Authentication key').fill(keys?.ak ?? '');
  await page.getByRole('heading', { name: 'Deciphered content' }).waitFor();
  assert(!page.url().includes(keys?.ek ?? '-'), 'the link contains a key');
}

async function checkSearch(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: 'Search' }).or(page.locator('#tsd-search-trigger')).first().click();
  await page.locator('#tsd-search-input').fill('Optical');
  await page.locator('#tsd-search-results a[href*="Optical_head"]').first().waitFor();
}

/** A keyword and the variable that it declares, with the classes of their colours. */
const DECLARATION = /<span class="(hl-\d+)">(const|await using)<\/span><span class="hl-\d+"> <\/span><span class="(hl-\d+)">/g;

/** Pages where `await using` has other colours than `const`: highlighters learn new syntax late. */
function miscolouredPages(site: string): string[] {
  const colours = new Map<string, Set<string>>();
  const missed: string[] = [];
  for (const file of globSync('**/*.html', { cwd: site })) {
    const text = readFileSync(path.join(site, file), 'utf8');
    const found = [...text.matchAll(DECLARATION)];
    for (const [, keyword, name, variable] of found)
      colours.set(name ?? '', (colours.get(name ?? '') ?? new Set()).add(`${keyword} ${variable}`));
    const programs = [...text.matchAll(/<pre>.*?<\/pre>/gs)].map(([program]) => program.replaceAll(/<[^>]*>/g, '')).join('\n');
    const written = programs.match(/\bawait using \w/g)?.length ?? 0;
    if (written !== found.filter(([, , name]) => name === 'await using').length) missed.push(file);
  }
  const isSame = [...(colours.get('await using') ?? [])].every((colour) => colours.get('const')?.has(colour) === true);
  return isSame && colours.has('await using') ? missed : ['await using is not coloured as const', ...missed];
}

/** In both themes the decoder has no fault that axe finds, contrast included, and the dark one is dark. */
async function checkThemes(browser: Browser, address: string): Promise<void> {
  const lightness: number[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    await page.goto(address + DECODER);
    await page.getByRole('button', { name: 'a ciphered push' }).click();
    await page.getByRole('heading', { name: 'Deciphered content' }).waitFor();
    const { violations } = await new AxeBuilder({ page }).include('#decoder').analyze();
    assert(violations.length === 0, `${colorScheme}: ${violations.map(({ id, nodes }) => `${id} ${nodes[0]?.html}`).join(', ')}`);
    lightness.push(
      await page.evaluate(() => {
        const parts = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? [];
        return parts.slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
      }),
    );
    await context.close();
  }
  assert((lightness[0] ?? 0) > (lightness[1] ?? 0) + 400, 'the dark theme is not dark');
}

async function checkNarrow(browser: Browser, address: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  for (const at of ['', DECODER, 'documents/How_it_was_proved.html', 'documents/Read_a_profile.html']) {
    await page.goto(address + at);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert(excess <= 0, `${at || 'index.html'} is ${excess} pixels too wide for a telephone`);
  }
  await page.close();
}

/** Builds the documentation and uses it as its readers do: below a path, from a folder, by keyboard, in both themes, on a telephone. */
export async function checkDocs(library: string): Promise<void> {
  const executablePath = await browserProgram();
  const site = await buildDocs(library);
  const pages = globSync('documents/*.html', { cwd: site }).length;
  assert(pages === PAGES.length && recipes().length <= pages, `${pages} pages instead of ${PAGES.length}`);
  const dead = deadLinks(site);
  assert(dead.length === 0, `dead links:\n${dead.join('\n')}`);
  const miscoloured = miscolouredPages(site);
  assert(miscoloured.length === 0, `wrong colours:\n${miscoloured.join('\n')}`);
  const { server, address } = await serve(site);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on(
      'response',
      (response) => void (response.status() >= 400 && !response.url().endsWith('favicon.ico') && errors.push(response.url())),
    );
    await checkDecoder(page, address);
    await checkKeys(page, address);
    for (const at of [address, `${pathToFileURL(site).href}/`]) await checkSearch(page, at === address ? at : `${at}index.html`);
    await page.goto(`${pathToFileURL(site).href}/${DECODER}#hex=${vectorOf('push-norway-aidon-1ph').hex}`);
    await page
      .getByRole('treeitem', { name: /AIDON_V0001/ })
      .last()
      .waitFor();
    await checkThemes(browser, address);
    await checkNarrow(browser, address);
    assert(errors.length === 0, `errors of the pages: ${errors.join(', ')}`);
  } finally {
    await browser.close();
    server.close();
  }
}
