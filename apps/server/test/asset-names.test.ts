import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const add = (code: string, name: string, contact = '') =>
  app.call(admin, { method: 'POST', url: '/api/asset/supplier', payload: { code, name, contact, country: '', flagId: null, note: '' } });

test.each([
  ['a line break', 'Two\r\nLines'],
  ['a letter without width', 'Ac\u200Bme'],
  ['a mark that turns the text', 'Ac\u202Eme'],
  ['a soft hyphen', 'Ac\u00ADme'],
  ['a byte order mark within', 'Ac\uFEFFme'],
])('a name with %s is refused', async (_, name) => {
  const answers = [await add('ODD', name), await add('ODD', 'Acme', name)];
  expect(answers.map((answer) => [answer.statusCode, answer.json().code])).toEqual([
    [400, 'VALIDATION'],
    [400, 'VALIDATION'],
  ]);
});

test('a name in any alphabet is taken', async () => {
  expect((await add('PLAIN', 'Müller 电表 & Söhne')).statusCode).toBe(201);
});
