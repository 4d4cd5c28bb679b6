import { execFileSync } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkedFolder, insist, type Check } from './check.ts';
import { startInstalled, unpack, unpackChecked, type Installed } from './installed.ts';

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

/** Time in which the demonstration of the former release has read some of its meters. */
const DATA_WITHIN_MS = 180_000;

const REFUSAL = 'The database was written by a newer version of the head-end';

interface Content {
  meters: number;
  users: number;
  days: number;
}

async function contentOf(installed: Installed): Promise<Content> {
  const [content] = await installed.rows<Content>(
    `select (select count(*)::int from meter) as meters, (select count(*)::int from app_user) as users,
       (select count(*)::int from reading_profile) as days`,
  );
  insist(content !== undefined, 'The database tells nothing');
  return content;
}

async function untilRead(former: Installed): Promise<Content> {
  for (const until = performance.now() + DATA_WITHIN_MS; ; await wait(1000)) {
    const content = await contentOf(former);
    if (content.days > 100) return content;
    insist(performance.now() < until, `The former release stored ${content.days} days of readings in time`);
  }
}

const isKept = (before: Content, now: Content): boolean =>
  now.meters === before.meters && now.users === before.users && now.days >= before.days;

/** From the artefact of an earlier release with its demonstration's data to this one, and back. */
const formerCheck = (folder: string): Check => ({
  name: 'upgrade: from an earlier release with its data, and back to it',
  needs: [],
  async run(checked) {
    const tarball = checkedFolder(folder, checked.scratch).artefact(`-linux-${process.arch}.tar.gz`);
    const former = await unpack(tarball, path.join(checked.scratch, 'former'));
    const tree = await unpackChecked(checked);
    const dataDir = path.join(checked.scratch, 'of-former');
    const old = await startInstalled(former, dataDir, { HES_DEMO: 'on' });
    const before = await untilRead(old);
    const agrees = ask(tree, dataDir);
    const goesOn = await isReady(old);
    const last = await contentOf(old);
    await old.stop();
    insist(agrees.code === 0 && goesOn, `The check of the new version said: ${agrees.text}`);
    insist(before.meters > 4_000, `The former release has ${before.meters} meters`);
    const newer = await startInstalled(tree, dataDir);
    const upgraded = await contentOf(newer);
    await newer.stop();
    insist(isKept(last, upgraded), `Before ${JSON.stringify(last)}, after the upgrade ${JSON.stringify(upgraded)}`);
    // A release before migrations had phases refuses every newer schema; the data stay, and the new one starts again.
    const again = await startInstalled(former, dataDir).catch((error: unknown) => {
      insist(String(error).includes(REFUSAL), `The former release does not start, and says no reason: ${String(error)}`);
      return startInstalled(tree, dataDir);
    });
    const back = await contentOf(again);
    await again.stop();
    insist(isKept(upgraded, back), `After the upgrade ${JSON.stringify(upgraded)}, after going back ${JSON.stringify(back)}`);
  },
});

/** Checks of a folder with the artefacts of an earlier release; undefined: it is skipped by name. */
export const formerChecks = (folder: string | undefined): readonly Check[] =>
  folder === undefined ? [{ ...formerCheck(''), needs: ['an earlier release (--former FOLDER)'] }] : [formerCheck(folder)];

export const upgradeChecks: readonly Check[] = [upgrade];
