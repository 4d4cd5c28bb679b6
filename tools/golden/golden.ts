import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { registries } from './registries.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** Loaded after the registries are written, because the code imports them. */
async function everyGolden(): Promise<Record<string, string>> {
  const goldens = await import('./every-golden.ts');
  return goldens.everyGolden(root);
}

if (process.argv.includes('--write')) await write();
else process.exitCode = await compare();

async function write(): Promise<void> {
  writeAll(registries(root));
  writeAll(await everyGolden());
}

function writeAll(texts: Record<string, string>): void {
  for (const [name, text] of Object.entries(texts)) {
    if (recorded(name) === text) continue;
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
    console.log(`wrote ${name}`);
  }
}

async function compare(): Promise<number> {
  const differing = Object.entries({ ...registries(root), ...(await everyGolden()) }).filter(([name, text]) => recorded(name) !== text);
  for (const [name, text] of differing) console.log(`${name} differs from the code. ${firstDifference(recorded(name), text)}`);
  if (differing.length > 0) console.log('If the change is intended, run `npm run golden` and commit the difference for review.');
  return differing.length > 0 ? 1 : 0;
}

function recorded(name: string): string {
  try {
    return readFileSync(path.join(root, name), 'utf8');
  } catch {
    return '';
  }
}

function firstDifference(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  const at = fresh.findIndex((line, index) => line !== old[index]);
  return at === -1 ? 'The end is missing.' : `Line ${at + 1}: recorded "${old[at] ?? ''}", now "${fresh[at]}".`;
}
