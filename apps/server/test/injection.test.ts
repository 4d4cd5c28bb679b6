import { afterAll, beforeAll, expect, test } from 'vitest';
import { everyInjected, faultOf } from '../../../tools/attack/injections.ts';
import { INJECTIONS } from '../../../tools/attack/payloads.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

/** Every parameter gets one payload in 37, beginning at another one each time; `npm run attack` sends all payloads to all parameters. */
const ONE_IN = 37;

/** A refusal, where the text is one. */
const refusalIn = (text: string): { code?: unknown; issues?: { field: string }[] } | undefined =>
  text.startsWith('{"type"') ? JSON.parse(text) : undefined;

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

test('there are 200 payloads, each other than the rest', () => {
  expect(new Set(INJECTIONS).size).toBe(INJECTIONS.length);
  expect(INJECTIONS.length).toBeGreaterThanOrEqual(200);
});

test('a list is put in order by no name that every object inherits', async () => {
  const lists = everyInjected({}).filter(({ names }) => names.includes('sort'));
  expect(lists.length).toBeGreaterThan(30);
  const faults: string[] = [];
  for (const { plain } of lists)
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const path = `${plain}${plain.endsWith('?') ? '' : '&'}sort=${name},asc`;
      const answer = await app.call(admin, { url: `/api${path}` });
      if (answer.statusCode >= 500) faults.push(path);
    }
  expect(faults).toEqual([]);
});

test('an injected payload gets a right answer or a refusal by its kind, in every parameter of every question', async () => {
  const asked = everyInjected({});
  expect(asked.flatMap(({ names }) => names).length).toBeGreaterThan(500);
  const faults: string[] = [];
  let calls = 0;
  for (const [at, injected] of asked.entries())
    for (const payload of INJECTIONS.filter((_, n) => (n + at) % ONE_IN === 0))
      for (const injection of injected.with(payload)) {
        calls++;
        const answer = await app.call(admin, { url: `/api${injection.path}` });
        const fault = faultOf(injection, { status: answer.statusCode, text: answer.body, body: refusalIn(answer.body) });
        if (fault !== undefined) faults.push(`${injection.path}: ${fault}`);
      }
  expect(faults).toEqual([]);
  expect(calls).toBeGreaterThan(1_000);
}, 120_000);
