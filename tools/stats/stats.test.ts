import { describe, expect, test } from 'vitest';
import { findDialect } from './dialect.ts';
import { readSentences } from './read-document.ts';
import { readSource } from './read-source.ts';

describe('wordings that are not plain English', () => {
  test.each([
    'Sends what nobody waits an answer to.',
    'What is stored of a day.',
    'The meter that told its name.',
    'It is read anew by itself.',
    'Waits: who asks again is refused.',
    'Gives way to urgent reads.',
  ])('are found in: %s', (text) => {
    expect(findDialect(text)).not.toEqual([]);
  });

  test.each([
    'Gives up after this many consecutive timeouts.',
    'Renews the leases of items in flight.',
    'What does the meter answer?',
    'The user who is signed in.',
  ])('are not seen in: %s', (text) => {
    expect(findDialect(text)).toEqual([]);
  });
});

describe('the measures of a source', () => {
  const source = [
    '// The first line',
    '// and the second are one comment.',
    '// oxlint-disable-next-line no-console',
    'const size = (value: any) => value as number; // as: checked',
    'function closeAll() {',
    '  for (const door of doors) {',
    '    if (door) door.close("in a sentence");',
    '  }',
    '}',
  ].join('\n');
  const measures = readSource('a.ts', source);

  test('join line comments, and leave directives out', () => {
    expect(measures.comments.map(({ text }) => text)).toEqual(['The first line and the second are one comment.', 'as: checked']);
  });

  test('are lines, nesting, any, casts and texts', () => {
    expect(measures.functions.map(({ line, lines, nesting }) => ({ line, lines, nesting }))).toEqual([
      { line: 4, lines: 1, nesting: 0 },
      { line: 5, lines: 5, nesting: 2 },
    ]);
    expect(measures).toMatchObject({ lines: 9, anys: 1, casts: 1, texts: [{ line: 7, text: 'in a sentence' }] });
  });
});

describe('the sentences of a document', () => {
  const markdown = [
    '# How to add a page',
    '',
    'A sentence that is',
    'wrapped. `npm test` runs after [each step](docs/a.md).',
    '',
    '- The first item of a list',
    '- The second item of a list',
    '',
    '```sh',
    'nobody reads this code block',
    '```',
    '| Name | What it is for |',
    '|--|--|',
    '| one | The cell of a table |',
    '| two | Proved by `a.test.ts` "what nobody reads" |',
  ].join('\n');

  test('are joined over lines, split at full stops and cells, and have no code', () => {
    expect(readSentences(markdown)).toEqual([
      { line: 1, text: 'How to add a page' },
      { line: 3, text: 'A sentence that is wrapped.' },
      { line: 3, text: 'code runs after each step.' },
      { line: 6, text: 'The first item of a list' },
      { line: 7, text: 'The second item of a list' },
      { line: 12, text: 'What it is for' },
      { line: 14, text: 'The cell of a table' },
      { line: 15, text: 'Proved by code' },
    ]);
  });
});
