import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COSEM_CLASSES } from '../src/catalogue/classes.ts';

const DOCUMENT = readFileSync(path.join(import.meta.dirname, '../../../docs/dlms-conformance.md'), 'utf8');
const ROW = /^\| (\d+) \| ([^|]+) \| ([\d, ]+) \|/gm;

describe('the conformance document', () => {
  it('lists every interface class that is declared, with its versions, and no other', () => {
    const listed = [...DOCUMENT.matchAll(ROW)].flatMap(([, id, name, versions = '']) =>
      versions.split(',').map((version) => `${id} ${name} v${version.trim()}`),
    );
    expect(new Set(listed)).toEqual(new Set(COSEM_CLASSES.map(({ id, name, version }) => `${id} ${name} v${version}`)));
  });
});
