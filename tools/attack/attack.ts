/** `npm run attack`: starts the product and runs every finding of the security review against it, over its ports and its database. */
import { parseArgs } from 'node:util';
import { ensureConsole } from '../lib/console-build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { runTool, say, sayOn, Trouble } from '../lib/say.mjs';
import { Attacked } from './attacked.ts';
import { EVERY_CHECK } from './every-check.ts';
import { runChecks, summaryOf, tableOf } from './run-checks.ts';

const HELP = `npm run attack -- [--only F4,D12] [--short] [--json]

Starts the product with its demonstration fleet in a separate folder and attacks it: over HTTP, the live socket and the DLMS port, and
with access to the database. Each check first performs permitted actions as a control, because a broken attack would also appear to fail.
Prints each attack with its result. The exit code is 0 if every attack failed. --only runs some checks, --short those of npm test,
--json prints one line: {"checks":n,"held":n,"failed":["F4"],"notChecked":["D23"]}.`;

await runTool(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  if (values.json) sayOn(process.stderr);
  const only = values.only?.split(',').map((id) => id.trim().toUpperCase());
  const known = EVERY_CHECK.flatMap(({ ids }) => ids);
  const unknown = only?.filter((id) => !known.includes(id)) ?? [];
  if (unknown.length > 0) throw new Trouble(`unknown check ${unknown.join(', ')}`);
  const checks = EVERY_CHECK.filter(
    (check) => (only === undefined || check.ids.some((id) => only.includes(id))) && (!values.short || 'isShort' in check),
  );
  await ensureConsole(await ensureInstalled());
  say('starting the product under attack');
  const target = new Attacked();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void target.stop().finally(() => process.exit(1)));
  try {
    await target.start();
    const results = await runChecks(checks, target);
    const summary = summaryOf(results);
    process.stdout.write(values.json ? `${JSON.stringify(summary)}\n` : `\n${tableOf(results)}\n${JSON.stringify(summary)}\n`);
    return summary.failed.length === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
});
