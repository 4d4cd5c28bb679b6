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
  const goldens = await everyGolden();
  if (await refusesBroken(goldens)) return void (process.exitCode = 1);
  writeAll(goldens);
}

/** The recorded promise to programs is never overwritten by one that lacks a part of it. */
async function refusesBroken(goldens: Record<string, string>): Promise<boolean> {
  const [{ PROMISE }, { brokenPromises }] = await Promise.all([import('./every-golden.ts'), import('./promise.ts')]);
  const before = recorded(PROMISE);
  const broken = before === '' ? [] : brokenPromises(JSON.parse(before), JSON.parse(goldens[PROMISE] ?? '{}'));
  for (const text of broken) console.log(`/api/v1 breaks its promise: ${text}`);
  return broken.length > 0;
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
  if (await refusesBroken(await everyGolden())) return 1;
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
