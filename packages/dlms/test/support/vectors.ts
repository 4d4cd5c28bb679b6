import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fromHex } from '../../src/codec/hex.ts';

/** A message from the field, a public stack or the standard, with its meaning. `source` names the origin. */
export interface Vector {
  name: string;
  kind: 'pdu' | 'wrapper' | 'data' | 'datetime' | 'hls' | 'keywrap';
  expect?: 'ok' | 'error' | 'quirk';
  hex?: string;
  keys?: { ek?: string; ak?: string; dk?: string; systemTitle?: string };
  decoded?: Record<string, unknown>;
  source: string;
  [field: string]: unknown;
}

const FOLDER = path.join(import.meta.dirname, '..', 'vectors');

/** All vectors by file. */
export const VECTOR_FILES: readonly { file: string; vectors: Vector[] }[] = readdirSync(FOLDER)
  .toSorted()
  .map((file) => ({ file, vectors: JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Vector[] })); // as: our own files

export const VECTORS: readonly Vector[] = VECTOR_FILES.flatMap(({ vectors }) => vectors);

export const octetsOf = (vector: Vector): Uint8Array => fromHex(vector.hex ?? '');
