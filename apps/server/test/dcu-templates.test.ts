import { afterAll, beforeAll, expect, test } from 'vitest';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let engineer: TestUser;
beforeAll(async () => {
  app = await testApp();
  engineer = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const save = async (body: object) => {
  const answer = await app.call(engineer, { method: 'POST', url: '/api/action/dcu-template', payload: body });
  return { status: answer.statusCode, body: answer.json() };
};
const stored = async () => (await app.call(engineer, { url: '/api/action/dcu-template' })).json().items;

test('a template is replaced only by a caller who names it, in any case of its letters', async () => {
  const first = await save({ name: 'Rural', values: { depth_days: '21' } });
  expect(first.status).toBe(200);
  const refused = await save({ name: 'rural', values: { depth_days: '14' } });
  expect([refused.status, refused.body.code, refused.body.issues[0].field]).toEqual([409, 'DUPLICATE', 'name']);
  const ofAnother = await save({ name: 'Rural', values: { depth_days: '14' }, replaces: '999999' });
  expect(ofAnother.body.code).toBe('DUPLICATE');
  expect(await stored()).toMatchObject([{ name: 'Rural', values: { depth_days: '21' }, version: 1 }]);
  const replaced = await save({ name: 'rural', values: { depth_days: '14' }, replaces: first.body.id });
  expect(replaced.body).toMatchObject({ id: first.body.id, values: { depth_days: '14' }, version: 2 });
});
