import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { insist, type Check } from './check.ts';
import { startInstalled, unpackChecked, type Installed } from './installed.ts';

const MIGRATIONS = 'apps/server/src/db/migrations';

/** A copy of the tree that knows one migration more, as the next release does. */
function makeNext(tree: string, folder: string): { next: string; added: string } {
  const next = path.join(folder, 'next');
  cpSync(tree, next, { recursive: true, verbatimSymlinks: true });
  const newest = readdirSync(path.join(next, MIGRATIONS)).toSorted().at(-1) ?? '';
  const added = `${String(Number(newest.slice(0, 4)) + 1).padStart(4, '0')}_of_the_next_release.sql`;
  const sql = '-- A table of the next release.\n-- phase: expand\ncreate table of_the_next_release (id int primary key);\n';
  writeFileSync(path.join(next, MIGRATIONS, added), sql);
  return { next, added };
}

interface Answer {
  code: number;
  text: string;
}

/** Asks a version whether it works with a data folder, whose settings the start has left there. */
function ask(tree: string, dataDir: string): Answer {
  const env = { PATH: process.env['PATH'], HES_ENV_FILE: path.join(dataDir, 'hes.env') };
  try {
    return {
      code: 0,
      text: execFileSync(path.join(tree, 'bin/hes'), ['check'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    };
  } catch (error) {
    const { status, stderr } = error as { status: number; stderr: string }; // as: the error of execFileSync
    return { code: status, text: stderr };
  }
}

const tables = async (installed: Installed): Promise<number> =>
  (await installed.rows<{ count: number }>("select count(*)::int as count from pg_class where relname = 'of_the_next_release'"))[0]
    ?.count ?? 0;

const isReady = async ({ port }: Installed): Promise<boolean> => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;

const upgrade: Check = {
  name: 'upgrade: the next version checks first, starts on the data, and the former one starts again on them',
  needs: [],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const { next, added } = makeNext(tree, checked.scratch);
    const dataDir = path.join(checked.scratch, 'upgraded');
    const former = await startInstalled(tree, dataDir);
    const agrees = ask(next, dataDir);
    const isUntouched = (await tables(former)) === 0 && (await isReady(former));
    const settings = readFileSync(path.join(dataDir, 'hes.env'), 'utf8');
    writeFileSync(path.join(dataDir, 'hes.env'), `${settings}HES_DRAIN_SS=5\n`);
    const refuses = ask(next, dataDir);
    const goesOn = await isReady(former);
    await former.stop();
    insist(agrees.code === 0 && agrees.text.includes(added.replace('.sql', '')), `The check said: ${agrees.text}`);
    insist(isUntouched, 'The check changed the database or stopped the former version');
    insist(refuses.code === 1 && refuses.text.includes('HES_DRAIN_S') && goesOn, `A wrong setting was not refused: ${refuses.text}`);
    const newer = await startInstalled(next, dataDir);
    const isApplied = (await tables(newer)) === 1;
    await newer.stop();
    insist(isApplied, 'The next version did not apply its migration');
    const again = await startInstalled(tree, dataDir);
    const admins = await again.rows('select 1 from app_user');
    await again.stop();
    insist(admins.length > 0, 'The data are gone after going back');
  },
};

export const upgradeChecks: readonly Check[] = [upgrade];
