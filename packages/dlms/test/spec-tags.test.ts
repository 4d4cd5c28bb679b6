import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = path.join(import.meta.dirname, '..', 'src');

/**
 * Permitted citations: Green Book, Blue Book, their IEC standards, the M-Bus and the compression, by document, chapter and name. Deeper clause numbers change with
 * every edition.
 */
const DOCUMENT = /^(?:GB 9\.[2-5]|GB 10|BB 4|IEC 62056-(?:21|4[67]|7-3)|IEC 61334-6|EN 13757-2|ITU-T V\.44)(?: \(|$)/;

const sources = (folder: string): string[] =>
  readdirSync(path.join(SRC, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => path.join(folder, file));
const textOf = (file: string): string => readFileSync(path.join(SRC, file), 'utf8');

describe('citations', () => {
  for (const folder of ['xdlms', 'acse', 'cosem/classes']) {
    it(`occur in every file of ${folder}`, () => {
      expect(sources(folder).filter((file) => !textOf(file).includes('@spec '))).toEqual([]);
    });
  }

  it('name a known document', () => {
    const cited = sources('.').flatMap((file) =>
      [...textOf(file).matchAll(/@spec ([^*\n]+)/g)].map(([, document = '']) => ({ file, document: document.trim() })),
    );
    expect(cited.length).toBeGreaterThan(20);
    expect(cited.filter(({ document }) => !DOCUMENT.test(document))).toEqual([]);
  });
});
