import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COSEM_CLASSES } from '../src/catalogue/classes.ts';
import { VECTORS } from './support/vectors.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const DOCUMENT = readFileSync(path.join(ROOT, 'docs/dlms-conformance.md'), 'utf8');
const INTEROP = readFileSync(path.join(ROOT, 'packages/dlms-node/test/interop/pydlms.test.ts'), 'utf8');
const CLASS_ROW = /^\| (\d+) \| ([^|]+) \| ([\d, ]+) \|/gm;

/** Titles of pydlms tests, by the first cell of the row that claims them. */
const PYDLMS: Readonly<Record<string, readonly string[]>> = {
  'Wrapper over TCP': ['with GMAC and ciphering'],
  'Wrapper over UDP': ['over UDP'],
  'HDLC: frame type 3': ['over HDLC', 'over HDLC with windows'],
  'AARQ, AARE, RLRQ, RLRE': ['without security', 'with GMAC and ciphering'],
  'Negotiated conformance': ['with GMAC and ciphering'],
  'A service that was not granted': ['keep the association when something is asked that the meter does not grant'],
  'Dedicated key': ['with a dedicated key'],
  'Proof in the answer to a release': ['verified'],
  '0 lowest': ['without security'],
  '1 low': ['with a password'],
  '2 high': ['AES (mechanism 2)'],
  '3 MD5': ['MD5'],
  '4 SHA-1': ['SHA-1'],
  '5 GMAC': ['with GMAC and ciphering'],
  '6 SHA-256': ['SHA-256'],
  '7 ECDSA': ['read in suite %i, with GMAC and with signatures, ciphered and plain', 'read in %s with signatures'],
  'GET: normal': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'GET: blocks': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'GET: selective access': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'SET: normal': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'SET: with list': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'ACTION: normal': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'ACTION: with list': ['read, write and invoke, alone, by list, in blocks and by selection, %s'],
  'Unconfirmed services': ['writes without response and broadcasts under the broadcast key, over %s', 'execute what has no response, %s'],
  'Broadcast to all stations': ['writes without response and broadcasts under the broadcast key, over %s'],
  'Broadcast key': ['writes without response and broadcasts under the broadcast key, over %s'],
  ACCESS: ['read, write and invoke with one ACCESS, %s'],
  'General block transfer: long answers': [
    'transfer long requests and long answers in general blocks: %s',
    'transfer long requests and long answers in general blocks, %s',
    'send again, and ask again for, what a meter loses on either way in general blocks',
  ],
  'General block transfer: long requests': [
    'transfer long requests and long answers in general blocks: %s',
    'transfer long requests and long answers in general blocks, %s',
  ],
  'Suite 0': ['with GMAC and ciphering'],
  'Suite 1': ['read in suite %i, with GMAC and with signatures, ciphered and plain', 'read in %s with signatures'],
  'Suite 2': ['read in suite %i, with GMAC and with signatures, ciphered and plain', 'read in %s with signatures'],
  'glo-, ded-': ['with general-glo', 'with a dedicated key'],
  'general-ciphering': ['read in suite %i with general ciphering: %s', 'read with general ciphering and with general signing in %s'],
  'general-signing': ['read in suite %i with general signing: %s', 'read with general ciphering and with general signing in %s'],
  'Invocation counters': ['with GMAC and ciphering'],
};

/** First and last cell of each table row, without interface classes and fuzzing. */
const rows = DOCUMENT.slice(0, DOCUMENT.indexOf('## Interface classes'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| What ') && !line.startsWith('|--'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .map((cells) => ({ name: cells[0] ?? '', peers: cells.at(-1) ?? '' }));

describe('the conformance document', () => {
  it('lists every interface class that is declared, with its versions, and no other', () => {
    const listed = [...DOCUMENT.matchAll(CLASS_ROW)].flatMap(([, id, name, versions = '']) =>
      versions.split(',').map((version) => `${id} ${name} v${version.trim()}`),
    );
    expect(new Set(listed)).toEqual(new Set(COSEM_CLASSES.map(({ id, name, version }) => `${id} ${name} v${version}`)));
  });

  it('claims pydlms exactly for the rows with a pydlms test', () => {
    const claimed = rows.filter(({ peers }) => /\bL[cm]?\b/.test(peers)).map(({ name }) => name);
    const shown = Object.keys(PYDLMS);
    expect(claimed.filter((name) => !shown.some((beginning) => name.startsWith(beginning)))).toEqual([]);
    expect(shown.filter((beginning) => !claimed.some((name) => name.startsWith(beginning)))).toEqual([]);
    for (const title of Object.values(PYDLMS).flat()) expect(INTEROP).toContain(`'${title}'`);
  });

  it('states the number of vectors', () => {
    const counts = /\((\d+) public ones, (\d+) more: (\d+) made with gurux-dlms for Python, (\d+) assembled by hand/.exec(DOCUMENT);
    const [publicOnes, more, gurux, byHand] = (counts ?? []).slice(1).map(Number);
    const own = VECTORS.filter(({ source }) => source.startsWith('assembled by hand')).length;
    const python = VECTORS.filter(({ name }) => name.startsWith('gxpy-')).length;
    expect([publicOnes, more, gurux, byHand]).toEqual([VECTORS.length - own - python, own + python, python, own]);
  });
});
