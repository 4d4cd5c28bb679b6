import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COSEM_CLASSES, cosemClassOf } from '../src/catalogue/classes.ts';
import { decode } from '../src/codec/codec.ts';
import { DecodeError } from '../src/codec/decode-error.ts';
import { attributeName, methodName, type CosemClass } from '../src/cosem/cosem-class.ts';

const FOLDER = path.join(import.meta.dirname, '..', 'src', 'cosem', 'classes');
const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));

const isClass = (value: unknown): value is CosemClass =>
  typeof value === 'object' && value !== null && 'attributes' in value && 'methods' in value;
const camel = (kebab: string): string => kebab.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const unique = (ids: number[]): boolean => new Set(ids).size === ids.length;

/** Octets that begin like Data, which take decoders past their first check. */
const almostRight = fc
  .tuple(
    fc.constantFrom(0, 1, 2, 3, 4, 5, 6, 9, 10, 15, 16, 17, 18, 19, 22, 25),
    fc.array(fc.oneof(fc.integer({ min: 0, max: 27 }), fc.integer({ min: 0, max: 255 })), { maxLength: 40 }),
  )
  .map(([tag, more]) => Uint8Array.of(tag, ...more));

for (const file of FILES) {
  const name = path.basename(file, '.ts');
  const exported = Object.entries((await import(path.join(FOLDER, file))) as Record<string, unknown>).filter(
    (entry): entry is [string, CosemClass] => isClass(entry[1]),
  ); // as: a module

  describe(`the class of ${file}`, () => {
    it('has the name of its file, in every version', () => {
      expect(exported.map(([constant]) => constant)).toContain(camel(name));
      for (const [constant, declared] of exported) {
        expect(constant.replace(/V\d+$/, '')).toBe(camel(name));
        expect(declared.name.toLowerCase().replaceAll(' ', '-')).toBe(name);
        expect(cosemClassOf(declared.id, declared.version)).toBe(declared);
      }
    });

    it('has its logical name as attribute 1, and every id once', () => {
      for (const [, { attributes, methods }] of exported) {
        expect(attributes['logicalName']?.id).toBe(1);
        const ids = Object.values(attributes).map(({ id }) => id);
        expect(unique(ids)).toBe(true);
        expect(ids.toSorted((a, b) => a - b)).toEqual(ids.map((_, i) => i + 1));
        expect(unique(Object.values(methods).map(({ id }) => id))).toBe(true);
      }
    });

    it('finds its members by id', () => {
      for (const [, declared] of exported) {
        for (const [member, { id }] of Object.entries(declared.attributes)) expect(attributeName(declared, id)).toBe(member);
        for (const [member, { id }] of Object.entries(declared.methods)) expect(methodName(declared, id)).toBe(member);
        expect(attributeName(declared, 99)).toBeUndefined();
      }
    });

    it('fails with DecodeError only on almost valid octets', () => {
      const codecs = exported.flatMap(([, { attributes, methods }]) => [
        ...Object.values(attributes).map(({ codec }) => codec),
        ...Object.values(methods).map(({ argument }) => argument),
      ]);
      fc.assert(
        fc.property(almostRight, fc.constantFrom(...codecs), (octets, codec) => {
          try {
            decode(codec, octets);
          } catch (error) {
            if (!(error instanceof DecodeError)) throw error;
          }
        }),
        { numRuns: 1000 },
      );
    });
  });
}

it('every declared class is found by its id', () => {
  const source = FILES.map((file) => readFileSync(path.join(FOLDER, file), 'utf8')).join('');
  expect(COSEM_CLASSES.length).toBe([...source.matchAll(/= cosemClass\(/g)].length);
});
