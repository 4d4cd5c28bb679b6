import { expect, test } from 'vitest';
import type { z } from 'zod';
import type { Route } from './core/route.ts';
import { everyRoute } from './every-route.ts';

const promised = Object.values(everyRoute)
  .flatMap((group): Route[] => Object.values(group))
  .filter(({ v1 }) => v1 !== undefined)
  .map((route) => [`${route.method} ${route.path}`, route] as const);

/** Names of the parameters in a path. */
const wordsOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

test.each(promised)('%s has a description in sentences', (_, { v1, summary }) => {
  expect(v1?.description).toMatch(/^[A-Z][^]{30,}\.$/);
  expect(v1?.description).not.toBe(summary);
});

test.each(promised)('%s has examples that its own schemas accept', (_, { v1, path, params, query, body, response, answer, status }) => {
  const example = v1?.example ?? {};
  expect(Object.keys(example.params ?? {})).toEqual(wordsOf(path));
  const isNeeded = (schema: z.ZodType | undefined) => schema !== undefined && !schema.safeParse({}).success;
  for (const [schema, value] of [
    [params, example.params],
    [query, example.query],
    [body, example.body],
  ] as const) {
    expect(isNeeded(schema) && value === undefined).toBe(false);
    if (value !== undefined) expect(schema?.safeParse(value).error?.issues ?? []).toEqual([]);
  }
  if (status === 204 || answer === 'file') return;
  expect(response.safeParse(example.response).error?.issues ?? []).toEqual([]);
});
