/** `npm run library:check`: packs the library, installs it into an empty project, and does with it what its users do. `-- --json` prints the sums only. */
import { newProject, packLibrary } from './consumer.ts';
import { MissingTool } from './fetch-tools.ts';
import { everyTarget } from './targets.ts';

const isJson = process.argv.includes('--json');
const say = (line: string) => void (isJson ? process.stderr : process.stdout).write(`${line}\n`);

const skipped: string[] = [];
let passed = 0;
let failed = 0;
const tarballs = await packLibrary();
const project = await newProject(tarballs);
let close: () => void = () => {};
try {
  const every = await everyTarget({ tarballs, project: project.folder });
  ({ close } = every);
  for (const { name, run } of every.targets) {
    const began = performance.now();
    try {
      await run();
      passed++;
      say(`✓ ${name} (${((performance.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      if (error instanceof MissingTool) {
        skipped.push(name);
        say(`- ${name}: skipped, ${error.message}`);
        continue;
      }
      failed++;
      say(`✗ ${name}\n${error instanceof Error ? error.message : String(error)}`);
    }
  }
} finally {
  close();
  project.remove();
  tarballs.remove();
}
const sums = { targets: passed + failed, passed, ...(skipped.length > 0 ? { skipped } : {}) };
if (isJson) process.stdout.write(`${JSON.stringify(sums)}\n`);
else say(`library: ${passed} of ${sums.targets} targets passed${skipped.length > 0 ? `; skipped: ${skipped.join(', ')}` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
