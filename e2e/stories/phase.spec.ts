import { expect, test, type Page } from '@playwright/test';
import { askControl, removeDataDir, start, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

const ARRIVES_WITHIN_MS = 90_000;

let headEnd: HeadEnd;
test.describe.configure({ mode: 'serial', timeout: 180_000 });
test.beforeAll(async () => {
  test.setTimeout(120_000);
  headEnd = await start({ env: { HES_DEMO: 'on', SIM_CHANNEL: 'fast', SIM_SCALE: 'town' } });
});
test.afterAll(async () => {
  await headEnd.stop();
  removeDataDir(headEnd.dataDir);
});

/** Calls the server with the session of the console. */
const ask = <T>(page: Page, path: string, method: 'GET' | 'POST' = 'GET'): Promise<T> =>
  page.evaluate(
    async ([address, how]) => {
      const kept = localStorage.getItem('HES_TOKEN') ?? sessionStorage.getItem('HES_TOKEN') ?? '{}';
      const { access_token: token } = JSON.parse(kept) as { access_token: string }; // as: what the console keeps
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await fetch(`/api${address}`, { method: how ?? 'GET', headers, ...(how === 'POST' ? { body: '{}' } : {}) });
      return (await answer.json()) as never; // as: what the contract says
    },
    [path, method],
  );

interface Summary {
  daysWithData: number;
}

test('S-029 S-082: phases are identified with evidence, accepted, written to the archive, and the balance with its moves is shown', async ({
  page,
}) => {
  await signIn(page, headEnd);
  const plans = await ask<{ items: { id: string; type: string }[] }>(page, '/reading/plan');
  const voltages = plans.items.find((plan) => plan.type === 'lpb');
  const run = await ask<{ taskId?: string }>(page, `/reading/plan/${voltages?.id}/run`, 'POST');
  const world = (await (await askControl(headEnd, '/world')).json()) as { truth: { problems: { wrongPhaseMeters: string[] } } }; // as: the type of the response
  const sn = world.truth.problems.wrongPhaseMeters[0] ?? '';
  const found = await ask<{ items: { transformerId: string; dcuId: string }[] }>(page, `/asset/meter?search=${sn}`);
  const id = found.items[0]?.transformerId;
  const dcuId = found.items[0]?.dcuId;
  await expect
    .poll(async () => (await ask<Summary>(page, `/analysis/phase/${id}/summary`)).daysWithData, { timeout: ARRIVES_WITHIN_MS })
    .toBeGreaterThanOrEqual(7);
  // A plan with a run in progress is refused; then that run provides the data. The run as a whole waits for an offline DCU.
  if (run.taskId !== undefined)
    await expect
      .poll(
        async () => {
          const { items } = await ask<{ items: { dcuId: string; state: string; attempts: number }[] }>(
            page,
            `/task/${run.taskId}/items?size=1000`,
          );
          // A meter that does not respond has been tried.
          return items.filter((item) => item.dcuId === dcuId && (item.attempts === 0 || item.state === 'reading')).length;
        },
        { timeout: ARRIVES_WITHIN_MS },
      )
      .toBe(0);

  await page.goto(`${headEnd.address}/hes/meter-management/mdms/phase-analysis?node=transformer:${id}&tab=identification`);
  const row = page
    .getByRole('grid', { name: 'Phase identification' })
    .locator('tr[data-row]')
    .filter({ hasText: sn.slice(-4) });
  await page.getByRole('button', { name: 'Identify', exact: true }).click();
  await expect(row).toContainText('recorded', { timeout: 60_000 });
  await row.click();
  const evidence = page.getByRole('complementary', { name: 'Evidence' });
  await expect(evidence).toContainText('quarters of low load');
  await expect(evidence).toContainText('meters whose phase is sure');
  await evidence.getByRole('button', { name: 'Accept' }).click();
  await evidence.getByRole('button', { name: 'Write to archive' }).click();
  await expect(evidence).toContainText('Written to archive');
  await expect(page.getByText('The archives of these DCUs are to be dispatched:')).toBeVisible();
  // The archive of its DCU is outdated: it is dispatched immediately, and the task is followed on the archive page.
  await evidence.getByRole('button', { name: 'Send to field' }).click();
  await expect(page.getByText('1 meter on the way to 1 DCU', { exact: true })).toBeVisible();
  await expect(evidence.getByRole('button', { name: 'Send to field' })).toBeHidden({ timeout: 30_000 });
  await page.getByRole('button', { name: /Accept all/ }).click();
  await expect(page.getByRole('group', { name: 'Status' }).getByRole('button', { name: /Proposed/ })).toContainText('0');

  await page.getByRole('tab', { name: 'Balance' }).click();
  await expect(
    page.getByRole('table', { name: 'Current unbalance by day and hour' }).locator('i[data-heat]:not([data-heat="nothing"])').first(),
  ).toBeVisible();
  await page.getByRole('table', { name: 'Current unbalance by day and hour' }).getByRole('button').first().click();
  await page.getByText('Table', { exact: true }).click();
  await expect(page.locator('td[data-field="current0"]').first()).not.toHaveAttribute('data-value', '');
  await page.getByRole('tab', { name: 'Rebalancing' }).click();
  await expect(page.getByRole('region', { name: 'After' })).toContainText('%');
  await page.getByRole('tab', { name: 'Anomalies' }).click();
  await expect(page.getByText('Nothing is wrong with the phases in this range')).toBeVisible();
  await page.getByText('Energy', { exact: true }).click();
  await expect(page.getByRole('group', { name: 'Anomaly' }).getByRole('button', { name: /Reverse electricity/ })).toBeVisible();
});
