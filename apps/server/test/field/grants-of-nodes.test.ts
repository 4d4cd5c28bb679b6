import { afterAll, beforeAll, expect, test } from 'vitest';
import { areIntact } from '../../src/db/right-seals.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const ROUNDS = 8;

let bench: ServerBench;
let servers: Server[];
beforeAll(async () => {
  bench = await serverBench();
  servers = [await bench.server('grants-first'), await bench.server('grants-second')];
}, 60_000);
afterAll(() => bench.close());

test('of two grants to one user at two nodes at once, one counts, the other is refused as outdated, and the user stays intact', async () => {
  const [first, second] = servers as [Server, Server];
  const admin = await bench.app.addUser({ roles: ['ADMIN'] });
  const { id } = await bench.app.addUser({ roles: ['VIEWER'] });
  const listed = await first.call(admin, 'GET', '/manager/user/role');
  const [one, other] = (listed.body as { items: { id: string; canGrant: boolean }[] }).items.filter(({ canGrant }) => canGrant); // as: the contract of the route
  for (let round = 0; round < ROUNDS; round++) {
    const { version, name } = (await first.call(admin, 'GET', `/manager/user/${id}`)).body as { version: number; name: string }; // as: the contract of the route
    const granted = (at: Server, roleIds: (string | undefined)[]) =>
      at.call(admin, 'PUT', `/manager/user/${id}`, { name, roleIds, version });
    const pair = round % 2 === 0 ? [one?.id] : [one?.id, other?.id];
    const answers = await Promise.all([granted(first, pair), granted(second, [other?.id])]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect(await areIntact(bench.app.ctx.db, [{ kind: 'user', id }])).toBe(true);
    const winner = answers[0]?.status === 200 ? pair : [other?.id];
    const { rows } = await bench.database.pool.query<{ role: string }>(
      'select role_id as role from user_role where user_id = $1 order by role_id',
      [id],
    );
    expect(rows.map(({ role }) => role)).toEqual(winner.toSorted((a, b) => Number(a) - Number(b)));
  }
}, 60_000);
