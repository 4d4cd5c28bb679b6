import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { explain, type Question } from '../../packages/dlms/docs/decoder/explain.ts';
import { meaningOf } from '../../packages/dlms/docs/decoder/meaning.ts';
import { SAMPLES } from '../../packages/dlms/docs/decoder/samples.ts';
import { vectorOf } from './docs-target.ts';
import { ROOT } from './packages.ts';

const ask = (question: Partial<Question>) => explain({ message: '', ek: '', ak: '', title: '', isData: false, ...question }, nodeCipher);

const all = (nodes: readonly AnnotatedNode[]): AnnotatedNode[] => nodes.flatMap((node) => [node, ...all(node.children)]);
const valuesIn = (question: Partial<Question>) => all(ask(question).sections.at(-1)?.nodes ?? []).map(({ value }) => value);
const meaningsIn = (question: Partial<Question>) => all(ask(question).sections.at(-1)?.nodes ?? []).map(meaningOf);

const { hex: PUSH } = vectorOf('push-norway-aidon-1ph');
const CIPHERED = vectorOf('push-lg-e450');

describe('the frame decoder', () => {
  it('explains messages of real meters, and what their octet strings mean', () => {
    expect(ask({ message: PUSH })).toMatchObject({ fault: undefined, hint: undefined });
    expect(valuesIn({ message: PUSH })).toContain('visibleString AIDON_V0001');
    expect(meaningsIn({ message: PUSH })).toEqual(expect.arrayContaining(['1.0.1.7.0.255', 'scaler 10^-1, V']));
    expect(meaningsIn({ message: vectorOf('push-salzburg-netz').hex })).toContain('2022-11-12 16:54:00, UTC+1 h');
  });

  it('takes hex as it is pasted', () => {
    const pairs = Array.from(fromHex(PUSH), (octet) => `0x${toHex(Uint8Array.of(octet)).toLowerCase()}`).join(', ');
    expect(ask({ message: `${pairs}\n` })).toEqual(ask({ message: PUSH }));
  });

  it('deciphers with the right keys, and names missing and wrong ones', () => {
    const { hex: message, keys = { ek: '', ak: '' } } = CIPHERED;
    expect(ask({ message }).hint).toContain('Give the encryption key');
    expect(ask({ message, ek: keys.ek }).hint).toContain('Give the authentication key');
    expect(ask({ message, ek: keys.ek, ak: '00'.repeat(16) }).fault).toContain('was not made with these keys');
    expect(ask({ message, ek: 'AB', ak: keys.ak }).fault).toBe('The encryption key has 1 octet. It should have 16 or 32.');
    expect(ask({ message, ...keys }).sections.map(({ name }) => name)).toEqual(['message', 'plaintext']);
    const clock = SAMPLES.find(({ vector }) => vector === 'kfm-get-clock-resp');
    expect(ask({ ...clock, title: '' }).hint).toContain('system title of its sender');
    expect(valuesIn({ ...clock })).toContain('octetString 07EA04040604042B00FE9801');
  });

  it('explains messages behind a gateway header, and single values', () => {
    expect(ask({ message: 'E6000102 C001C100080000010000FF0200' }).sections.map(({ name }) => name)).toEqual(['content']);
    expect(valuesIn({ message: '0600001391', isData: true })).toEqual(['doubleLongUnsigned 5009']);
  });

  it('says in a sentence why it cannot read', () => {
    expect(ask({ message: 'C4 0Z' }).fault).toBe('The message contains "Z", which is not a hexadecimal digit (0 to 9, A to F).');
    expect(ask({ message: 'C40' }).fault).toBe('The message has 3 hexadecimal digits. An octet has two, so one is missing or too many.');
    expect(ask({ message: 'C401C100060000' }).fault).toMatch(
      /^The message ends too early: 4 octets needed, 2 left\. \(Octet \d+, in getResponse/,
    );
    expect(ask({ message: 'C401C100060000139100' }).fault).toContain('but 1 octet more follows');
    expect(ask({ message: 'FA00' }).fault).toBe('Tag FA has no meaning here. (Octet 0.)');
  });

  it('shows the fields before a fault', () => {
    expect(valuesIn({ message: PUSH.slice(0, 80) })).toContain('visibleString AIDON_V0001');
  });

  it('has a sentence for every cut of every vector', () => {
    const vectors = JSON.parse(readFileSync(path.join(ROOT, 'packages/dlms/test/vectors/real-meter.json'), 'utf8')) as { hex: string }[]; // as: the vectors of this repository
    for (const { hex } of vectors)
      for (let end = 2; end < hex.length; end += 2) expect(typeof ask({ message: hex.slice(0, end) }).fault).toMatch(/string|undefined/);
  });

  it('has examples that are vectors', () => {
    for (const { vector, message, ek, ak } of SAMPLES) {
      const found = vectorOf(vector);
      expect(message).toBe(found.hex);
      if (ek !== undefined) expect({ ek, ak }).toMatchObject({ ek: found.keys?.ek, ak: found.keys?.ak });
      expect(ask({ message, ek: ek ?? '', ak: ak ?? '' }).fault).toBeUndefined();
    }
  });
});
