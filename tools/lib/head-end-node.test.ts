import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { HEAD_END_FLAGS } from './head-end-node.mjs';

const LOOK_MS = 100;

/** Octets of the nursery in a process run as the head-end's: when it had been busy, and after it rested; it ends by itself. */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { setTimeout } from 'node:timers/promises';
import { giveBackAtRest } from ${JSON.stringify(new URL('../../apps/server/src/platform/rest.ts', import.meta.url).href)};
const nursery = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
const lives = [];
for (let made = 0; nursery() < 32 << 20; made++) lives[made % 50_000] = { made, with: [made, String(made)] };
const busy = nursery();
lives.length = 0;
giveBackAtRest(${LOOK_MS});
let rested = nursery();
for (let look = 0; look < 100 && rested > 8 << 20; look++) {
  await setTimeout(${LOOK_MS});
  rested = nursery();
}
console.log(JSON.stringify({ busy, rested }));
`;

it('gives the nursery of busy hours back at rest, with the flags of the head-end', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...HEAD_END_FLAGS, '--input-type=module', '-e', SCRIPT], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { busy, rested } = JSON.parse(stdout) as { busy: number; rested: number }; // as: the script prints it
  expect(busy).toBeGreaterThanOrEqual(32 << 20);
  expect(rested).toBeLessThan(8 << 20);
});
