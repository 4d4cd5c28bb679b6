import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fromHex, toHex } from '@hes/dlms/codec/hex.ts';
import type { Target } from './target.ts';

const HERE = import.meta.dirname;

/** Inputs of a folder: one per line of every `.hex` file. */
function inputsOf(folder: string): { name: string; input: Uint8Array }[] {
  const files = existsSync(path.join(HERE, folder)) ? readdirSync(path.join(HERE, folder)) : [];
  return files
    .filter((file) => file.endsWith('.hex'))
    .toSorted()
    .flatMap((file) => {
      const lines = readFileSync(path.join(HERE, folder, file), 'utf8').split('\n');
      return lines.filter((line) => line.trim() !== '').map((line, at) => ({ name: `${file}:${at + 1}`, input: fromHex(line) }));
    });
}

/** Initial inputs of a target. */
export function corpusOf(name: string, target: Target): Uint8Array[] {
  return [...inputsOf(`corpus/${name}`).map(({ input }) => input), ...(target.seeds?.() ?? [])];
}

/** Inputs that once broke a target. */
export const regressionsOf = (name: string): { name: string; input: Uint8Array }[] => inputsOf(`regressions/${name}`);

/** Stores an input that broke a target permanently; returns its path. */
export function keepRegression(name: string, input: Uint8Array): string {
  const folder = path.join(HERE, 'regressions', name);
  mkdirSync(folder, { recursive: true });
  const hex = toHex(input);
  const file = path.join(folder, `${createHash('sha256').update(hex).digest('hex').slice(0, 12)}.hex`);
  writeFileSync(file, `${hex}\n`);
  return path.relative(process.cwd(), file);
}
