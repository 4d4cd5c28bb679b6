import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LANGUAGES } from '../../packages/contract/src/core/text.ts';
import { buildManual } from './build-manual.ts';
import { ADMINISTRATOR, administratorChapters, operatorChapters } from './chapters.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'hes-manual-'));
const FILES = [...Object.values(LANGUAGES).map(({ language }) => `operator-${language}.html`), 'administrator.html'];
const read = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

beforeAll(() => void buildManual(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('every link within a manual leads to a place in it, and no place has two addresses', () => {
  for (const file of FILES) {
    const html = read(file);
    const places = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(places.length, file).toBe(new Set(places).size);
    const links = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    expect(links.length, file).toBeGreaterThan(10);
    expect(
      links.filter((id) => !places.includes(id)),
      file,
    ).toEqual([]);
  }
});

test("the operator's manual has every page of the console and every language, the administrator's every document", () => {
  expect(operatorChapters('es-ES').map(({ id }) => id)).toEqual(operatorChapters('en-US').map(({ id }) => id));
  expect(operatorChapters('zh-CN').find(({ id }) => id === 'action-relay-control')?.title).toBe('远程操作 › 继电器控制');
  expect(administratorChapters()).toHaveLength(ADMINISTRATOR.length);
});

test('a document outside of the manual is named without a link', () => {
  expect(read('administrator.html')).not.toMatch(/href="[^"]*\.md/);
});
