/**
 * Proves that an upgrade tolerates interruptions: SIGKILL of the server and of the database, and closed links, at random
 * moments of a transfer. The exit code is 0 only if the hash in the device is right, hardly any octets were sent twice,
 * and no unverified image was activated.
 * npm run proof:upgrade                                        50 moments, 512 KB
 * npm run proof:upgrade -- --moments 6 --octets 60000 --seed 3
 */
import { parseArgs } from 'node:util';
import { setTimeout as wait } from 'node:timers/promises';
import { orderUpgrade } from './upgrade-order.ts';
import { startKillableProduct, retryWhileDown, type KillableProduct } from './killable-product.ts';

const MAX_SENT = 1.05;
/** Block size of the device. */
const BLOCK_OCTETS = 512;
/** Delay of each round trip, which spreads the transfer over time. */
const SLOW_MS = 3;
const STUCK_MS = 240_000;
const BLOWS = ['server', 'database', 'link'] as const;
type Blow = (typeof BLOWS)[number];

interface Device {
  version: string;
  flashedSha256: string | null;
  octetsReceived: number;
  unverifiedOrders: number;
  status: string;
}

/** Reproducible pseudo-random numbers. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function strike(product: KillableProduct, blow: Blow, dcuSn: string): Promise<void> {
  if (blow === 'link') return product.disconnect(dcuSn);
  if (blow === 'database') return product.killDatabase();
  await product.killServer();
  product.startServer();
}

async function recordOf({ ctx }: KillableProduct, jobId: string) {
  const found = await retryWhileDown(() =>
    ctx.pool.query<{ status: string; octets: number; stumbles: number; item: string | null; reason: string | null }>(
      `select r.status, r.octets_sent::float8 as octets, r.stumbles, i.state as item, r.reason_code as reason
      from upgrade_record r left join task_item i on i.id = r.item_id where r.job_id = $1`,
      [jobId],
    ),
  );
  return found.rows[0];
}

async function prove(moments: number, octets: number, seed: number): Promise<boolean> {
  const product = await startKillableProduct({ scale: '1x4', channel: 'fast' });
  try {
    const found = await product.ctx.pool.query<{ sn: string; dcuSn: string }>(
      'select m.sn, d.sn as "dcuSn" from meter m join dcu d on d.id = m.dcu_id order by m.sn limit 1',
    );
    const { sn = '', dcuSn = '' } = found.rows[0] ?? {};
    const order = await orderUpgrade(product.ctx, { octets, blockSize: BLOCK_OCTETS, selection: () => ({ sns: [sn] }) });
    await product.tell('fault', { target: sn, kind: 'slow', delayMs: SLOW_MS });
    product.startServer();
    const device = (): Promise<Device | undefined> => product.ask<Device>(`firmware/meter/${sn}`).catch(() => undefined);
    const next = chance(seed);
    const goals = Array.from({ length: moments }, () => Math.floor(next() * order.octets)).toSorted((a, b) => a - b);
    const struck: Record<Blow, number> = { server: 0, database: 0, link: 0 };
    const begun = Date.now();
    for (const goal of goals) {
      const now = await until(product, order.jobId, async () => {
        const one = await device();
        return one !== undefined && (one.octetsReceived >= goal || one.version === order.version) ? one : undefined;
      });
      if (now.version === order.version) break;
      // Not always at the end of a block.
      await wait(next() * SLOW_MS * 4);
      const blow = BLOWS[Math.floor(next() * BLOWS.length)] ?? 'link';
      struck[blow]++;
      await strike(product, blow, dcuSn);
      say(`${blow.padEnd(8)} at ${now.octetsReceived} of ${order.octets} B, ${Math.round((Date.now() - begun) / 1000)} s`);
    }
    const end = await until(product, order.jobId, async () => {
      const record = await recordOf(product, order.jobId);
      return record !== undefined && ['complete', 'error', 'update_fail', 'no_need_complete'].includes(record.status) ? record : undefined;
    });
    const last = await device();
    const ratio = (last?.octetsReceived ?? Number.POSITIVE_INFINITY) / order.octets;
    const blows = struck.server + struck.database + struck.link;
    const verdicts: [string, boolean][] = [
      [`the upgrade is complete: ${end.status}${end.reason === null ? '' : ` (${end.reason})`}`, end.status === 'complete'],
      [`the hash in the device is right: ${last?.flashedSha256?.slice(0, 16) ?? '-'}…`, last?.flashedSha256 === order.sha256],
      [`octets received by the device: ${ratio.toFixed(4)} × image`, ratio <= MAX_SENT],
      [`activations of an unverified image: ${last?.unverifiedOrders ?? '-'}`, last?.unverifiedOrders === 0],
      [
        `interruptions: ${blows} of ${moments} (server ${struck.server}, database ${struck.database}, link ${struck.link})`,
        blows === moments,
      ],
    ];
    for (const [what, isGood] of verdicts) say(`${isGood ? 'ok   ' : 'WRONG'} ${what}`);
    return verdicts.every(([, isGood]) => isGood);
  } finally {
    await product.stop();
  }
}

/** Polls until `look` returns a result; the timeout message contains the state of the transfer. */
async function until<T>(product: KillableProduct, jobId: string, look: () => Promise<T | undefined>): Promise<T> {
  const givenUpAt = Date.now() + STUCK_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > givenUpAt) throw new Error(`No progress: ${JSON.stringify(await recordOf(product, jobId))}`);
    await wait(5);
  }
}

const { values } = parseArgs({
  options: {
    moments: { type: 'string', default: '50' },
    octets: { type: 'string', default: '524288' },
    seed: { type: 'string', default: '1' },
  },
});
process.exitCode = (await prove(Number(values.moments), Number(values.octets), Number(values.seed))) ? 0 : 1;
