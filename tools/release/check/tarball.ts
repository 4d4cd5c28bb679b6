import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram } from '../program.ts';
import { insist, type Check } from './check.ts';
import { startInstalled, unpackChecked } from './installed.ts';

const starts: Check = {
  name: 'tarball: starts with its own Node and database, without demonstration',
  needs: [],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const installed = await startInstalled(tree, path.join(checked.scratch, 'plain'));
    try {
      const page = await fetch(`http://127.0.0.1:${installed.port}/hes/login`);
      insist(page.ok && (await page.text()).includes('<script'), 'The console is not served');
      const [found] = await installed.rows<{ meters: number }>('select count(*)::int as meters from meter');
      insist(found?.meters === 0, 'The demonstration is on');
    } finally {
      await installed.stop();
    }
  },
};

/** `hes demo` writes beside the settings; systemd is not asked, because the unit does not run. */
async function orderDemo(tree: string, dataDir: string, state: 'on' | 'off'): Promise<string> {
  const folder = path.join(dataDir, 'etc');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'hes.env');
  writeFileSync(file, '');
  await runProgram(path.join(tree, 'bin/hes'), ['demo', state], { env: { HES_ENV_FILE: file } });
  copyFileSync(path.join(folder, 'demo.env'), path.join(dataDir, 'demo.env'));
  return readFileSync(path.join(folder, 'demo.env'), 'utf8');
}

const demo: Check = {
  name: 'tarball: hes demo on adds the demonstration and hes demo off removes it',
  needs: [],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const dataDir = path.join(checked.scratch, 'demo');
    const metersAfter = async (state: 'on' | 'off') => {
      await orderDemo(tree, dataDir, state);
      const installed = await startInstalled(tree, dataDir);
      try {
        return (await installed.rows<{ meters: number }>('select count(*)::int as meters from meter'))[0]?.meters ?? 0;
      } finally {
        await installed.stop();
      }
    };
    const added = await metersAfter('on');
    insist(added > 4_000, `The demonstration brought ${added} meters`);
    const left = await metersAfter('off');
    insist(left === 0, `${left} meters of the demonstration are left`);
  },
};

const USERS = "select string_agg(username, ',' order by username) as names, count(*)::int as users from app_user";

const dumpAndLoad: Check = {
  name: 'tarball: hes dump writes all rows, hes load brings them into a new database and keeps the former one aside',
  needs: [],
  async run(checked) {
    const tree = await unpackChecked(checked);
    const folder = path.join(checked.scratch, 'rows');
    const [from, to] = [path.join(folder, 'from'), path.join(folder, 'to')];
    const rows = path.join(folder, 'dump');
    const users = async (dataDir: string) => {
      const installed = await startInstalled(tree, dataDir);
      try {
        return JSON.stringify(await installed.rows(USERS));
      } finally {
        await installed.stop();
      }
    };
    const hes = (dataDir: string, ...args: string[]) =>
      runProgram(path.join(tree, 'bin/hes'), args, { cwd: '/', env: { HES_ENV_FILE: path.join(dataDir, 'hes.env') } });
    const before = await users(from);
    await hes(from, 'dump', rows);
    mkdirSync(to, { recursive: true });
    // The master key is never inside a dump: whoever moves takes it along.
    copyFileSync(path.join(from, 'master.key'), path.join(to, 'master.key'));
    writeFileSync(path.join(to, 'hes.env'), `HES_DATA_DIR=${to}\n`);
    await hes(to, 'load', rows);
    const after = await users(to);
    insist(after === before, `Before: ${before}; after: ${after}`);
    const again = await hes(to, 'load', rows);
    insist(again.includes('The former database is kept in '), `A second load should keep the former database: ${again}`);
    const refused = await hes(to, 'load', to).then(
      () => 'it was loaded',
      (error: unknown) => String(error),
    );
    insist(refused.includes('holds no complete dump'), `A folder without a dump should be refused: ${refused}`);
  },
};

export const tarballChecks: readonly Check[] = [starts, demo, dumpAndLoad];
