/**
 * `npm run bench`: installs missing packages and runs the benchmarks with the flags of the head-end, because memory
 * settings affect the figures.
 */
import { HEAD_END_ENV, HEAD_END_FLAGS } from '../lib/head-end-node.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { inRoot } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { runTool } from '../lib/say.mjs';

await runTool(async () => {
  const { node, env } = await ensureInstalled();
  const args = [...HEAD_END_FLAGS, inRoot('tools/bench/bench.ts'), ...process.argv.slice(2)];
  const { code } = await run(node, args, { env: { ...HEAD_END_ENV, ...env }, show: true });
  return code;
});
