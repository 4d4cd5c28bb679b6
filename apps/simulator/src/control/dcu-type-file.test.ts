import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFERENCE_MODEL } from '#devices/context.ts';
import { modelIn } from './dcu-type-file.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hes-type-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const written = (content: object): string => {
  const file = path.join(folder, 'type.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

test('the reference type of the documentation is the reference DCU', () => {
  expect(modelIn(path.join(import.meta.dirname, '../../../../docs/profiles/reference-dcu.json'))).toEqual(REFERENCE_MODEL);
});

test('a type with the adapter of a gateway only forwards', () => {
  expect(modelIn(written({ profile: { body: { adapter: 'gateway', objects: {} } } }))).toMatchObject({ isPlainGateway: true });
});

test('a file without profile, and shapes with faults, are refused with their place', () => {
  expect(() => modelIn(written({}))).toThrow('is no DCU type');
  const shapes = { arrays: { archive: { id: 1, fields: [] } }, scripts: { reboot: 1 } };
  expect(() => modelIn(written({ profile: { body: { shapes } } }))).toThrow(
    'scripts: unknown_script reboot; archive: missing_field serialNumber',
  );
});
