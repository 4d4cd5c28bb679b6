import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NodeEvent, NodeRow } from '@hes/contract/manager/node.ts';
import { Node } from '../src/nodes/node.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
const nodes: Node[] = [];
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await app.owner.query('delete from node_event; delete from node');
});
afterAll(() => app.close());

async function startNode(name: string): Promise<Node> {
  const node = new Node(app.ctx, { name, version: '1.2.3' });
  nodes.push(node);
  await node.start();
  return node;
}
const get = async <Row>(path: string): Promise<Row[]> => (await app.call(admin, { url: `/api/manager/node${path}` })).json().items;
const rowOf = async (name: string) => (await get<NodeRow>('')).find((row) => row.name === name);
const kindsOf = async (name: string) =>
  (await get<NodeEvent>('/event')).filter(({ nodeName }) => nodeName === name).map(({ kind, userName }) => [kind, userName !== null]);
async function order(user: TestUser, id: string, what: 'drain' | 'resume') {
  const answer = await app.call(user, { method: 'POST', url: `/api/manager/node/${id}/${what}` });
  return answer.statusCode === 204 ? 204 : answer.json().code;
}

test('the page tells who is up, what each node holds, and what happened and by whom', async () => {
  const [one, two] = [await startNode('one'), await startNode('two')];
  await one.beat();
  expect(await rowOf('one')).toMatchObject({ id: one.id, version: '1.2.3', state: 'alive', devices: 0, leases: 0 });
  expect(await order(admin, one.id, 'drain')).toBe(204);
  expect([one.isDraining, (await rowOf('one'))?.state]).toEqual([false, 'draining']);
  await one.beat();
  expect(one.isDraining).toBe(true);
  await one.noteDrained(0);
  expect((await rowOf('one'))?.state).toBe('drained');
  await two.beat();
  expect([one.isGuardianOf('7'), two.isGuardianOf('7'), two.hasSuccessor]).toEqual([false, true, false]);
  expect(await order(admin, one.id, 'resume')).toBe(204);
  await one.beat();
  expect([one.isDraining, (await rowOf('one'))?.state]).toEqual([false, 'alive']);
  expect(await kindsOf('one')).toEqual([
    ['resumed', true],
    ['drained', false],
    ['drain_began', true],
    ['born', false],
  ]);
  await one.stop();
  expect((await rowOf('one'))?.state).toBe('stopped');
  const audited = await app.ctx.db.selectFrom('auditLog').where('entity', '=', 'node').select(['action', 'detail']).orderBy('id').execute();
  expect(audited).toMatchObject(['node_drained', 'node_resumed'].map((action) => ({ action, detail: { name: 'one' } })));
});

test('the last node that takes work cannot be drained, and an order without an effect is refused', async () => {
  const one = await startNode('alone');
  expect(await order(admin, one.id, 'drain')).toBe('LAST_NODE');
  expect(await order(admin, one.id, 'resume')).toBe('NOTHING_TO_DO');
  expect(await order(admin, '999999', 'drain')).toBe('NOT_FOUND');
  const two = await startNode('other');
  const told = await Promise.all([order(admin, one.id, 'drain'), order(admin, two.id, 'drain')]);
  expect(told.map(String).toSorted()).toEqual(['204', 'LAST_NODE']);
});

test('users of an area cannot order a node', async () => {
  const [one] = [await startNode('mine'), await startNode('theirs')];
  const { id: levelId } = await app.ctx.db
    .insertInto('networkLevel')
    .values({ name: 'A', code: 'A', type: 'company', path: ['1'] })
    .returning('id')
    .executeTakeFirstOrThrow();
  const limited = await app.addUser({ scope: [levelId] });
  expect(await order(limited, one.id, 'drain')).toBe('BEYOND_OWN_RIGHTS');
});
