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

export const tarballChecks: readonly Check[] = [starts, demo];
