import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { build, preview } from 'vite';
import { ensureBrowser } from '../lib/browser.mjs';
import type { Example } from './examples.ts';
import { MissingTool } from './fetch-tools.ts';

/** Examples without sockets. */
const IN_BROWSER: ReadonlySet<string> = new Set(['decode', 'browser', 'webcrypto', 'decode-in-a-browser']);

/** The browser of the tests. Fails with `MissingTool`. */
export async function browserProgram(): Promise<string> {
  try {
    return await ensureBrowser({ node: process.execPath, env: process.env });
  } catch (error) {
    throw new MissingTool('there is no Chromium', { cause: error });
  }
}

/** Bundles the examples for browsers and compares what they print in Chromium. */
export async function checkInBrowser(project: string, examples: readonly Example[]): Promise<void> {
  const executablePath = await browserProgram();
  const suitable = examples.filter(({ name }) => IN_BROWSER.has(name));
  const root = path.join(project, 'web');
  mkdirSync(root, { recursive: true });
  for (const { name, code } of suitable) writeFileSync(path.join(root, `${name}.ts`), code);
  writeFileSync(path.join(root, 'index.html'), suitable.map(({ name }) => `<script type="module" src="/${name}.ts"></script>`).join('\n'));
  const quiet = { root, configFile: false, logLevel: 'error', build: { target: 'es2022' } } as const;
  await build(quiet);
  const server = await preview({ ...quiet, preview: { port: 0, host: '127.0.0.1' } });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const printed: string[] = [];
    page.on('console', (message) => printed.push(`${message.text()}\n`));
    page.on('pageerror', (error) => printed.push(`${error.message}\n`));
    await page.goto(server.resolvedUrls?.local[0] ?? '', { waitUntil: 'load' });
    const missing = suitable.filter(({ prints }) => !printed.some((line) => prints.test(line)));
    if (missing.length > 0)
      throw new Error(`the browser prints ${JSON.stringify(printed)}; ${missing.map(({ name }) => name).join(', ')} expected`);
  } finally {
    await browser.close();
    await server.close();
  }
}
