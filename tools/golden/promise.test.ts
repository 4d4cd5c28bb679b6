import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPromisedDocument } from '../../apps/server/src/http/openapi.ts';
import { brokenPromises } from './promise.ts';
import { PROMISE } from './every-golden.ts';

const recorded: unknown = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../..', PROMISE), 'utf8'));

/** The recorded document with one text replaced in its JSON. */
const changed = (from: string | RegExp, to: string): unknown => {
  const text = JSON.stringify(recorded);
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return JSON.parse(other);
};

test('the routes keep every promise that is recorded', () => {
  expect(brokenPromises(recorded, createPromisedDocument())).toEqual([]);
});

describe('a promise is broken by', () => {
  const small = (schema: object, body: object = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }) => ({
    paths: {
      '/x/{id}': {
        post: {
          parameters: [{ in: 'query', name: 'size', required: false, schema: { type: 'integer', maximum: 500 } }],
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
          responses: { 200: { content: { 'application/json': { schema } } } },
        },
      },
    },
  });
  const row = {
    type: 'object',
    properties: { sn: { type: 'string' }, at: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
    required: ['sn', 'at'],
  };
  const from = small(row);
  const input = (properties: object, required: string[]) => small(row, { type: 'object', properties, required });

  test.each([
    ['a lost operation', { paths: {} }, 'POST /x/{id}: is lost'],
    ['a lost field', small({ ...row, properties: { at: row.properties.at } }), 'POST /x/{id} 200.sn: is lost'],
    [
      'another type',
      small({ ...row, properties: { ...row.properties, sn: { type: 'integer' } } }),
      'POST /x/{id} 200.sn: type was "string", is "integer"',
    ],
    ['a field that may be missing', small({ ...row, required: ['at'] }), 'POST /x/{id} 200."sn": may be missing now'],
    [
      'a value that may be null',
      small({ ...row, properties: { ...row.properties, sn: { anyOf: [{ type: 'string' }, { type: 'null' }] } } }),
      'POST /x/{id} 200.sn: the alternatives changed',
    ],
    [
      'an input that became required',
      input({ a: { type: 'string' }, b: { type: 'string' } }, ['a', 'b']),
      'POST /x/{id} body."b": is required now',
    ],
    ['an input that is shorter', input({ a: { type: 'string', maxLength: 5 } }, ['a']), 'POST /x/{id} body.a: maxLength is narrower'],
    ['an input that is lost', input({}, []), 'POST /x/{id} body.a: is lost'],
  ])('%s', (_, to, broken) => {
    expect(brokenPromises(from, to)).toContain(broken);
  });

  test.each([
    ['a new field of a response', small({ ...row, properties: { ...row.properties, more: { type: 'string' } } })],
    ['a value that is no longer null', small({ ...row, properties: { ...row.properties, at: { type: 'string' } } })],
    ['a new input that may be left out', input({ a: { type: 'string' }, b: { type: 'string' } }, ['a'])],
  ])('but not by %s', (_, to) => {
    expect(brokenPromises(from, to)).toEqual([]);
  });

  test('a change anywhere in the recorded document', () => {
    expect(brokenPromises(recorded, changed('"inventoryState"', '"stateOfInventory"'))).not.toEqual([]);
    expect(brokenPromises(changed('"/task/{id}"', '"/old-task/{id}"'), recorded)).toEqual(['GET /old-task/{id}: is lost']);
  });
});
