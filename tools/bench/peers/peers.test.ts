import { expect, it } from 'vitest';
import { PeerClient } from './peer-client.ts';
import { PEER_ROWS, type PeerRow } from './peer-rows.ts';
import { figuresOf, node, pushOfAMeter } from './peers.ts';

const block = (units: number, seconds: number, cpuSeconds: number) => ({ units, seconds, cpuSeconds });

it('a ratio above 1 says that our client is ahead', () => {
  const ours = [block(100, 1, 0.1), block(200, 1, 0.2), block(100, 1, 0.1)];
  const theirs = [block(50, 1, 0.1), block(100, 1, 0.4), block(50, 1, 0.2)];
  expect(figuresOf(ours, theirs)).toEqual({ throughput: 2, cpu: 4, range: [2, 4], micros: [1000, 4000] });
});

it('our client does every row against our meter, and checks what it reads', async () => {
  const { hex, values } = pushOfAMeter();
  // A meter for each client: both count from 1 under the same title.
  const started = async (expected: number) => {
    const { client: meter, said } = await PeerClient.start<{ port: number }>(node('our-meter.ts'));
    return { meter, ...(await PeerClient.start(node('our-client.ts', [String(said.port), hex, String(expected)]))) };
  };
  const [right, wrong] = await Promise.all([started(values), started(values + 1)]);
  try {
    for (const row of Object.keys(PEER_ROWS) as PeerRow[])
      // as: keys of a constant
      expect((await right.client.run(row, 0.01)).units, row).toBeGreaterThan(0);
    await expect(wrong.client.run('push', 0.01)).rejects.toThrow(`${values} instead of ${values + 1}`);
  } finally {
    for (const one of [right.client, wrong.client, right.meter, wrong.meter]) await one.end();
  }
});

it('a program that cannot start says why', async () => {
  await expect(PeerClient.start({ program: process.execPath, args: ['--eval', 'throw new Error("no such peer")'] })).rejects.toThrow(
    'no such peer',
  );
});
