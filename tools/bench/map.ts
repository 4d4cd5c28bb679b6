import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import type { HeadEnd } from '../../e2e/support/head-end.ts';
import { signIn } from '../../e2e/support/sign-in.ts';
import { ensureBrowser } from '../lib/browser.mjs';
import { BENCH_PASSWORD, openBenchDatabase } from './bench-database.ts';
import { startHeadEnd } from './head-end-process.ts';

const GATE_FRAME_MS = 50;
const MOST_DOTS = 1100;
const TURNS = 6;
const SETTLE_MS = 1500;

declare global {
  interface Window {
    frames_: number[];
  }
}

/** Moves and zooms the map with the mouse and returns the longest frame. */
async function longestFrame(page: Page): Promise<{ longestMs: number; frames: number; dots: number }> {
  const map = page.locator('.leaflet-container').first();
  await map.locator('.leaflet-marker-icon').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const box = await map.boundingBox();
  if (box === null) throw new Error('the map is missing on the page');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.evaluate(() => {
    window.frames_ = [];
    let last = performance.now();
    const look = (now: number) => {
      window.frames_.push(now - last);
      last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  let dots = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    // Next to the dots: a press on one would select it.
    await page.mouse.move(x + 7, y + 3);
    await page.mouse.down();
    await page.mouse.move(x + (turn % 2 === 0 ? 180 : -180), y + 60, { steps: 20 });
    await page.mouse.up();
    await page.mouse.wheel(0, turn % 3 === 2 ? 400 : -240);
    await page.waitForTimeout(SETTLE_MS);
    dots = Math.max(dots, await map.locator('.leaflet-marker-icon').count());
  }
  const frames = await page.evaluate(() => window.frames_);
  return { longestMs: Math.round(Math.max(...frames)), frames: frames.length, dots };
}

/** The two maps over ten thousand transformers and a million meters: no frame may exceed 50 ms. Needs a quiet machine. */
export async function mapBench() {
  const executablePath = await ensureBrowser({ node: process.execPath, env: process.env });
  const database = await openBenchDatabase();
  const headEnd = await startHeadEnd({ DATABASE_URL: database.url, HES_DATA_DIR: join(database.dataDir, 'head-end') });
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
    // as: signing in uses the address only
    await signIn(page, { address: headEnd.address } as HeadEnd, { username: 'admin', password: BENCH_PASSWORD });
    const dashboard = await longestFrame(page);
    await page.goto(`${headEnd.address}/hes/assets/transformer?view=map`);
    const transformers = await longestFrame(page);
    if (Math.max(dashboard.dots, transformers.dots) > MOST_DOTS) throw new Error(`Too many dots: ${dashboard.dots}, ${transformers.dots}`);
    return { ratio: GATE_FRAME_MS / Math.max(dashboard.longestMs, transformers.longestMs), dashboard, transformers };
  } finally {
    await browser.close();
    await headEnd.stop();
    await database.stop();
  }
}
