/** `hes check`: asks whether this program works with the settings and data of the installed one. Exit code 0: it does, 1: it does not, with the reason. */
import { checkBeforeUpgrade } from './composition/preflight.ts';
import { forgetSecrets, readConfig } from './platform/config.ts';
import { withSecrets } from './platform/secrets-command.ts';
import { gatherSettings } from './platform/settings-sources.ts';
import { StartError } from './platform/start-error.ts';

async function run(): Promise<void> {
  const config = readConfig(await withSecrets(gatherSettings(process.env, process.cwd())), process.cwd());
  forgetSecrets(process.env);
  const { migrations } = await checkBeforeUpgrade(config);
  const plan = migrations.length === 0 ? 'The schema stays as it is.' : `It will apply ${migrations.join(', ')}.`;
  process.stdout.write(`hes: this version works with settings and data. ${plan}\n`);
}

run().catch((error: unknown) => {
  const text = error instanceof StartError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`hes: ${text}\n`);
  process.exitCode = 1;
});
