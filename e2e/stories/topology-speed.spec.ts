import { expect, test, type Page } from '@playwright/test';
import { removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const FRAMES = 60;
/** Processor time of the page's thread for one frame: 33 ms allow 30 frames a second, independent of other load. */
const SMOOTH_MS = 33;
/** Only moving is measured; loading and layout depend on the load of the machine. */
const DRAWN_WITHIN_MS = 60_000;
const SIGNALS = ['outstanding', 'excellent', 'good', 'poor', 'fail', 'no_signal'] as const;

let headEnd: HeadEnd;
test.describe.configure({ timeout: 180_000 });
test.beforeAll(async () => {
  test.setTimeout(150_000);
  headEnd = await start();
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

const macOf = (at: number): string => `E8F20A${at.toString(16).toUpperCase().padStart(6, '0')}`;

/** The fields of a station that generate a network; the rest completes the response of the server. */
interface Station extends Record<string, unknown> {
  mac: string;
  level: number;
  role: 'pco' | 'sta';
}

/** A network of the given size: a sixth on the first hop, two or three stations behind each relay. */
function pictureOf(count: number): object {
  const first = Math.floor(count / 6);
  const nodes: Station[] = [];
  for (let at = 0; at < count; at++) {
    const parent = at < first ? undefined : nodes[Math.floor((at - first) / 2.2)];
    if (parent) parent.role = 'pco';
    nodes.push({
      mac: macOf(at),
      nodeId: at + 2,
      sn: String(270_000_000_000 + at),
      meterId: String(at + 1),
      parentMac: parent?.mac ?? null,
      level: (parent?.level ?? 0) + 1,
      role: 'sta',
      phase: at % 3 === 0 ? 'a' : at % 3 === 1 ? 'b' : 'c',
      link: at % 5 === 0 ? 'rf' : 'plc',
      signalValue: 20 - (at % 19),
      signalUnit: 'dB',
      signal: SIGNALS[(at * 7) % SIGNALS.length] ?? 'good',
      upPct: 90,
      downPct: 88,
      onlineSince: null,
      lastSeenAt: '2026-01-01T00:00:00.000Z',
      isOnline: at % 37 !== 0,
      lastCommAt: null,
      freshness: at % 29 === 0 ? 'over72' : 'h24',
      softwareVersion: null,
      longitude: 121 + Math.sin(at) * 0.01,
      latitude: 31 + Math.cos(at * 1.3) * 0.01,
    });
  }
  const stats = { online: count, total: count, meanLevel: 3, maxLevel: 7, successPct: 90, parentChanges24h: 0 };
  const dcu = { dcuId: '1', sn: 'DCU27000001', transformerName: null, longitude: 121, latitude: 31, onlineStatus: 'online' };
  return { ...dcu, takenAt: '2026-01-01T00:00:00.000Z', activeTaskId: null, stats, nodes };
}

/** Moves the drawing frame by frame and returns the processor time per frame of the page's thread. */
async function costOfFrame(page: Page): Promise<number> {
  const tools = await page.context().newCDPSession(page);
  await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => (await tools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const before = await worked();
  await page.getByTestId('topology-canvas').evaluate(async (canvas, frames) => {
    const { left, top } = canvas.getBoundingClientRect();
    const tell = (type: string, at: number) =>
      canvas.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 1, clientX: left + 300 + at * 2, clientY: top + 300 + at }));
    // Synthetic pointer events cannot be captured.
    (canvas as HTMLCanvasElement).setPointerCapture = () => undefined; // as: it is a canvas
    tell('pointerdown', 0);
    for (let at = 1; at <= frames; at++) {
      tell('pointermove', at);
      await new Promise(requestAnimationFrame);
    }
    await new Promise(requestAnimationFrame);
    tell('pointerup', frames);
  }, FRAMES);
  return ((await worked()) - before) * (1000 / FRAMES);
}

for (const count of [2_000, 10_000])
  test(`a network of ${count} stations is moved within ${SMOOTH_MS} ms of processor time a frame, without a graphics card`, async ({
    page,
  }) => {
    await page.route(/\/api\/network\/topology\/1(\?|$)/, (route) => route.fulfill({ json: pictureOf(count) }));
    await signIn(page, headEnd);
    for (const form of ['network', 'tree', 'map']) {
      await page.goto(`${headEnd.address}/hes/meter-management/network/network-topology?dcu=1&form=${form}`);
      await expect(page.getByTestId('topology-canvas')).toBeVisible({ timeout: DRAWN_WITHIN_MS });
      const ms = await costOfFrame(page);
      console.log(`${count} stations as ${form}: ${ms.toFixed(1)} ms a frame`);
      expect(ms).toBeLessThan(SMOOTH_MS);
    }
    await page.getByTestId('topology-canvas').focus();
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('complementary').last()).toContainText('Route to the DCU');
  });
