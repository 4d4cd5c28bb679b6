import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COSEM_CLASSES } from '@hes/dlms/catalogue/classes.ts';
import * as everyClass from '@hes/dlms/entry/classes.ts';
import { linkPackage, newProject, packLibrary, type Tarballs } from './consumer.ts';
import { examplesOf } from './examples.ts';
import { ROOT } from './packages.ts';
import { onNode, types, writeExamples, type Installed } from './targets.ts';

let tarballs: Tarballs;
let project: Awaited<ReturnType<typeof newProject>>;
let installed: Installed;
let written: Awaited<ReturnType<typeof writeExamples>> | undefined;

beforeAll(async () => {
  tarballs = await packLibrary();
  project = await newProject(tarballs);
  installed = { tarballs, project: project.folder };
  linkPackage(project.folder, '@types/node');
});
afterAll(() => {
  written?.serial?.close();
  project?.remove();
  tarballs?.remove();
});

const compiler = () => Promise.resolve(path.join(ROOT, 'node_modules/typescript/bin/tsc'));
const node = () => Promise.resolve(process.execPath);

/** The short form of `npm run library:check`, which also needs nothing from a registry. */
describe('the packed library, installed into an empty project', () => {
  it('compiles strictly, and does what its READMEs and its documentation say', async () => {
    written = await writeExamples(installed, ({ name }) => name !== 'browser');
    await types(installed, compiler, 'TypeScript 7', 'nodenext').run();
    await onNode(installed, node, 'this Node', written).run();
  });

  it('has few entries, and declares what it needs', () => {
    const manifests = tarballs.folders.map(
      (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, object>,
    ); // as: a manifest
    expect(manifests.map(({ name, exports = {}, dependencies }) => [name, Object.keys(exports).length, dependencies])).toEqual([
      ['dlms', 10, {}],
      ['dlms-node', 4, { dlms: '0.1.0' }],
      ['dlms-cli', 1, { dlms: '0.1.0', 'dlms-node': '0.1.0' }],
    ]);
  });
});

it('exports every declared interface class', () => {
  const exported = new Set<unknown>(Object.values(everyClass));
  expect(COSEM_CLASSES.filter((declared) => !exported.has(declared)).map(({ name }) => name)).toEqual([]);
});

it('reads a profile under keys in at most eight lines', () => {
  const lines =
    examplesOf()
      .find(({ name }) => name === 'profile')
      ?.code.split('\n') ?? [];
  expect(lines.filter((line) => line !== '').length).toBeLessThanOrEqual(8);
});
