/**
 * `npm run release:check -- [--from FOLDER] [--former FOLDER] [--only TEXT] [--json]`: installs and runs the artefacts of `npm run release` as their users do. It needs
 * root, and skips by name what needs a program that is missing.
 */
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inRoot } from '../lib/paths.mjs';
import { chartChecks } from './check/chart.ts';
import { checkedFolder, hasProgram, type Check } from './check/check.ts';
import { composeChecks } from './check/compose.ts';
import { debChecks } from './check/deb.ts';
import { emulatedChecks } from './check/emulated.ts';
import { documentChecks } from './check/documents.ts';
import { imageChecks } from './check/image.ts';
import { proxyChecks } from './check/proxies.ts';
import { tarballChecks } from './check/tarball.ts';
import { formerChecks, upgradeChecks } from './check/upgrade.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: inRoot('dist/release') },
    /** Artefacts of an earlier release. */
    former: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string) => void (values.json ? process.stderr : process.stdout).write(`${line}\n`);

const every: readonly Check[] = [
  ...documentChecks,
  ...tarballChecks,
  ...upgradeChecks,
  ...formerChecks(values.former === undefined ? undefined : path.resolve(values.former)),
  ...proxyChecks,
  ...chartChecks,
  ...imageChecks,
  ...composeChecks,
  ...debChecks,
  ...emulatedChecks,
];
const out = path.resolve(values.from);
const artefacts = readdirSync(out).filter((name) => name !== 'SHA256SUMS').length;
const scratch = mkdtempSync(path.join(tmpdir(), 'hes-release-check-'));
// The built-in database runs as a user of its own, which has to enter the folder.
chmodSync(scratch, 0o755);
const checked = checkedFolder(out, scratch);
const passed: string[] = [];
const failed: string[] = [];
const skipped: string[] = [];
try {
  for (const { name, needs, run } of every.filter((check) => check.name.includes(values.only))) {
    const missing = needs.filter((program) => !hasProgram(program));
    if (missing.length > 0) {
      skipped.push(name);
      say(`- ${name}: skipped, because ${missing.join(' and ')} cannot be run here`);
      continue;
    }
    const began = performance.now();
    try {
      await run(checked);
      passed.push(name);
      say(`✓ ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed.push(name);
      say(`✗ ${name}\n  ${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
const sums = { artefacts, checks: passed.length + failed.length, failed, ...(skipped.length > 0 ? { skipped } : {}) };
if (values.json) process.stdout.write(`${JSON.stringify(sums)}\n`);
else
  say(
    `release: ${passed.length} of ${sums.checks} checks passed over ${artefacts} artefacts${skipped.length > 0 ? `; skipped: ${skipped.length}` : ''}`,
  );
process.exitCode = failed.length > 0 ? 1 : 0;
