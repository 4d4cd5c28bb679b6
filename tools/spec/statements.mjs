import { readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {{ number: string, text: string, area: string }} Statement */

/** Pattern of a number in the list and in test titles. */
export const NUMBER = /\bS-\d{3}\b/g;

/**
 * Every statement of statements.md in order, with its area.
 * @returns {Statement[]}
 */
export function readStatements(file = path.join(import.meta.dirname, 'statements.md')) {
  let area = '';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('## ')) area = line.slice(3).trim();
      const [, number = '', text = ''] = /^- (S-\d{3}) (.+)$/.exec(line) ?? [];
      return number ? [{ number, text, area }] : [];
    });
}
