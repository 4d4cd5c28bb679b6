import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp } from './test-app.ts';

let app: TestApp;
let missing: ReadinessPart[] = [];
beforeAll(async () => void (app = await testApp({ missingParts: () => missing })));
afterAll(() => app.close());

const probe = async (url: string) => {
  const answer = await app.fastify.inject({ url });
  return { status: answer.statusCode, body: answer.json() as { status: unknown; code?: string; missing?: string[] } }; // as: a small object
};

test('a head-end that takes work is alive and ready, below /api and at the paths of orchestrators', async () => {
  for (const url of ['/livez', '/readyz', '/api/livez', '/api/readyz'])
    expect(await probe(url)).toEqual({ status: 200, body: { status: 'ok' } });
});

test('one that takes none is alive, and says what is missing with status 503', async () => {
  missing = ['listener', 'draining'];
  expect(await probe('/readyz')).toMatchObject({ status: 503, body: { code: 'NOT_READY', missing: ['listener', 'draining'] } });
  expect((await probe('/livez')).status).toBe(200);
  missing = [];
});

test('a database that lacks migrations, hangs or is gone makes it unready, and does not end its life', async () => {
  const { owner } = app;
  // The newest expansion, and what follows it: backfills and contractions may come later.
  const removed = await owner.query<{ number: number; name: string; phase: string; needs: number | null }>(
    "delete from schema_migration where number >= (select max(number) from schema_migration where phase = 'expand') returning number, name, phase, needs",
  );
  expect((await probe('/readyz')).body.missing).toEqual(['migrations']);
  for (const { number, name, phase, needs } of removed.rows)
    await owner.query('insert into schema_migration (number, name, phase, needs) values ($1, $2, $3, $4)', [number, name, phase, needs]);
  const client = await owner.connect();
  await client.query('begin; lock table schema_migration');
  expect((await probe('/readyz')).body.missing).toEqual(['database']);
  expect((await probe('/livez')).status).toBe(200);
  await client.query('rollback');
  client.release();
  expect((await probe('/readyz')).status).toBe(200);
});
