/** `node tools/run.mjs <script> …`: installs what is missing and runs one of our TypeScript tools under the pinned Node. */
import { ensureInstalled } from './lib/install.mjs';
import { run } from './lib/run.mjs';
import { runTool, sayOn } from './lib/say.mjs';

await runTool(async () => {
  if (process.argv.includes('--json')) sayOn(process.stderr);
  const { node, env } = await ensureInstalled();
  const { code } = await run(node, process.argv.slice(2), { env, show: true });
  return code;
});
