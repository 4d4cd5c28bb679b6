import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEAR_KIND, HOSTILE_KINDS, hostileFiles } from './hostile-files.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const SEED = 20_261_121;

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const upload = (file: Buffer | string, query = '') =>
  app.call(admin, {
    method: 'POST',
    url: `/api/import/meter?name=meters.csv${query}`,
    headers: { 'content-type': 'application/octet-stream' },
    payload: file,
  });

// All three hundred, and a list of a million lines: npm run bench -- import.
test('no file that is no list gets in, and each refusal is a sentence', async () => {
  for await (const { kind, content, hasLines } of hostileFiles(SEED, HOSTILE_KINDS - 1, DEAR_KIND)) {
    const answer = await upload(content);
    const body = answer.json();
    if (hasLines) {
      expect([answer.statusCode, body.new, body.update], kind).toEqual([200, 0, 0]);
      expect(
        body.rows.every((row: { issues: { message: string }[] }) => row.issues[0]?.message),
        kind,
      ).toBeTruthy();
    } else if (content.length === 0) expect(body.issues[0].message).toBe('The file is empty');
    else {
      expect([413, 422], `${kind}: ${answer.body.slice(0, 200)}`).toContain(answer.statusCode);
      expect(body.detail.length, kind).toBeGreaterThan(10);
    }
  }
});

test('a page of a longer list reports the lines of the whole', async () => {
  const answer = (await upload('sn,typeCode,communicationMode\n1,NOBODY,plc\n2,NOBODY,plc', '&firstLine=20002')).json();
  expect(answer.rows.map((row: { line: number }) => row.line)).toEqual([20_002, 20_003]);
});
