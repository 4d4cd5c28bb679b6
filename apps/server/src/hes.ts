import { parseArgs } from 'node:util';
import { backup, backups, restore, verify, type Wishes } from './composition/commands/backup-commands.ts';
import { dump, load, type DumpContext } from './composition/commands/dump-commands.ts';
import { forgetSecrets, readConfig } from './platform/config.ts';
import { createLog } from './platform/log.ts';
import { withSecrets } from './platform/secrets-command.ts';
import { gatherSettings } from './platform/settings-sources.ts';
import { StartError } from './platform/start-error.ts';

const HELP = `hes COMMAND

  backup                    copies the database of the running head-end into HES_BACKUP_FOLDER
  backups                   lists the backups
  verify [NAME]             restores the newest backup, or the named one, into a scratch folder, starts it, and reads every table
  restore [NAME] [--at T]   restores the database of a stopped head-end, to the instant T (2026-11-28T06:00:00Z) or to the end of the archive

  dump FOLDER               writes all rows of a stopped head-end into a new folder, which every version of PostgreSQL can load
  load FOLDER               loads a dump into a new built-in database, or into the empty one of DATABASE_URL, and compares every row

  --from FOLDER             the folder of backups, in place of HES_BACKUP_FOLDER

Settings are those of the head-end: environment, or the file of HES_CONFIG. Exit code 0: done, 1: refused or failed, with the reason.
`;

const COMMANDS: Record<string, (context: DumpContext, wishes: Wishes) => Promise<void> | void> = {
  backup,
  backups,
  verify,
  restore,
  dump,
  load,
};

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { at: { type: 'string' }, from: { type: 'string' }, help: { type: 'boolean', default: false } },
  });
  const [word = '', name, ...more] = positionals;
  const command = COMMANDS[word];
  if (values.help || word === '') return say(HELP);
  if (command === undefined || more.length > 0) throw new StartError(`"${positionals.join(' ')}" is no command. "hes --help" lists them.`);
  const config = readConfig(await withSecrets(gatherSettings(process.env, process.cwd())), process.cwd());
  forgetSecrets(process.env);
  await command({ config, log: createLog(config.logLevel ?? 'error'), say }, { name, at: values.at, from: values.from });
}

run().catch((error: unknown) => {
  const isExpected =
    error instanceof StartError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  const text = error instanceof Error ? (isExpected ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`hes: ${text}\n`);
  process.exitCode = 1;
});
