import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../lib/paths.mjs';
import { MUTANTS } from './mutants.ts';

test.each(MUTANTS)('$name finds each of its texts exactly once', ({ file, edits }) => {
  const source = readFileSync(inRoot(file), 'utf8');
  for (const [text] of edits) expect(source.split(text)).toHaveLength(2);
});
