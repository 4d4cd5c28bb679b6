import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { DOCS, ENTRIES, PAGES } from './build-docs.ts';
import { recipes } from './examples.ts';
import { ROOT } from './packages.ts';
import { provedFigures, tableOf, withFigures } from './proved-figures.ts';

const pages = readdirSync(path.join(DOCS, 'pages')).map((file) => ({
  name: path.basename(file, '.md'),
  text: readFileSync(path.join(DOCS, 'pages', file), 'utf8'),
}));
const included = pages.flatMap(({ text }) => [...text.matchAll(/\{@includeCode \.\.\/recipes\/([\w-]+)\.ts\}/g)].map(([, name]) => name));

describe('the documentation', () => {
  it('lists every page in its navigation', () => {
    expect(pages.map(({ name }) => name).toSorted()).toEqual([...PAGES, 'index'].toSorted());
  });

  it('shows every program that the tests run, on the page of its name', () => {
    for (const { name } of recipes())
      expect(pages.find((page) => page.name === name)?.text, name).toContain(`{@includeCode ../recipes/${name}.ts}`);
    expect(new Set(included)).toEqual(new Set(recipes().map(({ name }) => name)));
  });

  it('names each entry of the reference as programs import it', () => {
    for (const [name, file] of ENTRIES) expect(readFileSync(path.join(ROOT, file), 'utf8'), file).toContain(`@module ${name}\n`);
  });

  it('contains no program that nothing runs', () => {
    for (const { name, text } of pages) expect(text, name).not.toMatch(/```(?:ts|js|typescript|javascript)/);
  });

  it('takes each figure from a file', () => {
    const figures = provedFigures();
    for (const { name, text } of pages) expect(withFigures(text, figures), name).not.toContain('{{');
    expect(Object.entries(figures).filter(([, figure]) => figure === '' || /NaN|undefined/.test(figure))).toEqual([]);
    expect(() => withFigures('{{unknown}}', figures)).toThrow('no figure "unknown"');
  });
});

/** Name of a peer in the document, and the text that pins its version. */
const PINS: Readonly<Record<string, RegExp>> = {
  'Gurux for Java': /gurux-java-([\d.]+)'/,
  'Gurux for Python': /gurux-dlms==([\d.]+)'/,
  'pydlms-client': /pydlms-client\[crypto\]==([\d.]+)'/,
  jDLMS: /jdlms-([\d.]+)'/,
  'dlms-cosem for Python': /dlms-cosem==([\d.]+)'/,
};

it('names the versions of the peers that the tools install', () => {
  const tools = readFileSync(path.join(ROOT, 'packages/dlms-node/test/interop/tools.ts'), 'utf8');
  const document = readFileSync(path.join(ROOT, 'docs/dlms-conformance.md'), 'utf8');
  const listed = tableOf(document, 'Peer | Version | Last run').map(([peer = '', version]) => [peer, version]);
  expect(listed).toEqual(Object.entries(PINS).map(([peer, pin]) => [peer, pin.exec(tools)?.[1]]));
});
