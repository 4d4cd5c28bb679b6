import type { FaultKind } from '@hes/simulator/control/faults.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { appBench, type AppBench } from './app-bench.ts';
import { capturesOf, orderOf, type KnownMeter } from './simulated.ts';

const WITHIN = { timeout: 40_000, interval: 50 };
const DAY_MS = 86_400_000;
/** Faults of the line and of the meter that strike every framing. */
const KINDS: readonly FaultKind[] = [
  'line_noise',
  'torn',
  'overlong',
  'sliced',
  'glued',
  'twice',
  'silence',
  'half_open',
  'drop',
  'garbage',
  'bit_flip',
  'lost_answer',
  'cut',
  'cut_after',
];
/** The direction makes a difference to what ends the connection or the link only. */
const OF_DIALLED: ReadonlySet<FaultKind> = new Set<FaultKind>(['line_noise', 'torn', 'half_open', 'cut']);
/** HDLC corrects these by retransmission, so the order succeeds without a retry. */
const REPAIRED: ReadonlySet<FaultKind> = new Set<FaultKind>(['line_noise', 'sliced', 'glued', 'twice', 'overlong']);

let bench: AppBench;
let meters: Record<'dialsIn' | 'isDialled', KnownMeter>;

beforeAll(async () => {
  bench = await appBench({
    scale: { dcus: 1, metersPerDcu: 2 },
    directMeters: { count: 2, hdlc: 2, dialled: 1 },
    timeoutLimits: { longestMs: 8_000 },
  });
  await untilOnline();
  const { rows } = await bench.app.ctx.pool.query<{ id: string; sn: string; dcuId: string }>(
    `select id, sn, dcu_id as "dcuId" from meter where communication_mode = 'direct' order by sn`,
  );
  const [dialsIn, isDialled] = rows.flatMap(({ id, sn, dcuId }) => {
    const plan = bench.simulation.world.meterBySn.get(sn);
    return plan === undefined ? [] : { plan, id, dcuId };
  });
  if (dialsIn === undefined || isDialled === undefined) throw new Error('There are two direct meters');
  meters = { dialsIn, isDialled };
}, 60_000);
afterAll(() => bench.close());

const untilOnline = () =>
  vi.waitFor(async () => {
    const { rows } = await bench.app.ctx.pool.query("select sn from endpoint where kind = 'meter' and online_status <> 'online'");
    expect(rows).toEqual([]);
  }, WITHIN);

const days = () => {
  const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { from: dayText(Date.now() - 2 * DAY_MS), to: dayText(Date.now()) };
};

const readOf = async (meter: KnownMeter) => (await orderOf(bench, [meter], { kind: 'lpa', params: days() }))[0];

/** Stored values of the profile that differ from those of the meter. */
async function differences(meter: KnownMeter): Promise<number> {
  const [item] = await orderOf(bench, [meter], { kind: 'audit_readings', params: days() });
  return (item?.result as { audit?: { different: number } } | null)?.audit?.different ?? Number.NaN;
}

describe.each([
  ['dials in', 'dialsIn'],
  ['is dialled', 'isDialled'],
] as const)('a direct meter in HDLC that %s', (_, which) => {
  test('is known to the archive by its framing and direction, and delivers a profile in segments', async () => {
    const { rows } = await bench.app.ctx.pool.query('select protocol, connection_type as direction from endpoint where id = $1', [
      meters[which].dcuId,
    ]);
    expect(rows).toEqual([{ protocol: 'dlms_hdlc', direction: which === 'dialsIn' ? 'dial_in' : 'dial_out' }]);
    expect(await readOf(meters[which])).toMatchObject({ state: 'read_success' });
    expect((await capturesOf(bench, meters[which])).length).toBeGreaterThan(96);
    expect(await differences(meters[which])).toBe(0);
  });

  test.each(KINDS.filter((kind) => which === 'dialsIn' || OF_DIALLED.has(kind)))(
    'recovers from %s, and nothing wrong is stored',
    async (kind) => {
      const { faults } = bench.simulation;
      const { plan } = meters[which];
      const struck = () => faults.strikes().find((one) => one.target === plan.sn && one.kind === kind)?.times ?? 0;
      const before = struck();
      await untilOnline();
      faults.add({ target: plan.sn, kind, count: 2 });
      const during = await readOf(meters[which]);
      expect(struck(), 'the fault struck').toBeGreaterThan(before);
      faults.clear();
      if (REPAIRED.has(kind)) expect(during).toMatchObject({ state: 'read_success' });
      // The meter may have to connect again first.
      await vi.waitFor(async () => expect(await readOf(meters[which])).toMatchObject({ state: 'read_success' }), WITHIN);
      expect(await differences(meters[which])).toBe(0);
    },
  );
});
