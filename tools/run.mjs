/** `node tools/run.mjs <script> …`: installs missing packages and runs a TypeScript tool under the pinned Node. */
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/run.mjs';
import { runTool, sayOn } from './lib/say.mjs';

await runTool(async () => {
  if (process.argv.includes('--json')) sayOn(process.stderr);
  const { node, env } = await ensureInstalled();
  const { code } = await run(node, process.argv.slice(2), { env, show: true });
  return code;
});
