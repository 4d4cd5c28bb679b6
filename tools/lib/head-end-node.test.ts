import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { HEAD_END_FLAGS } from './head-end-node.mjs';

const CHECK_EVERY_MS = 100;

/**
 * Size of the young generation in a process with the flags of the head-end: after load, and after idling; the script ends
 * automatically.
 */
const SCRIPT = `
import { getHeapSpaceStatistics } from 'node:v8';
import { setTimeout } from 'node:timers/promises';
import { collectGarbageWhenIdle } from ${JSON.stringify(new URL('../../apps/server/src/platform/idle-gc.ts', import.meta.url).href)};
const youngGeneration = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
const lives = [];
for (let made = 0; youngGeneration() < 32 << 20; made++) lives[made % 50_000] = { made, with: [made, String(made)] };
const busy = youngGeneration();
lives.length = 0;
collectGarbageWhenIdle(${CHECK_EVERY_MS});
let idle = youngGeneration();
for (let check = 0; check < 100 && idle > 8 << 20; check++) {
  await setTimeout(${CHECK_EVERY_MS});
  idle = youngGeneration();
}
console.log(JSON.stringify({ busy, idle }));
`;

it('shrinks the young generation of an idle process, with the flags of the head-end', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [...HEAD_END_FLAGS, '--input-type=module', '-e', SCRIPT], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { busy, idle } = JSON.parse(stdout) as { busy: number; idle: number }; // as: the script prints it
  expect(busy).toBeGreaterThanOrEqual(32 << 20);
  expect(idle).toBeLessThan(8 << 20);
});
