import { everyRoute } from '@hes/contract/every-route.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { readSheet } from '../src/platform/spreadsheet/read-sheet.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const order = (user: TestUser, list: string, payload: object, language = 'en') =>
  app.call(user, { method: 'POST', url: `/api/export/${list}`, payload, headers: { 'accept-language': language } });
const fileOf = (user: TestUser, id: string) => app.call(user, { url: `/api/export/${id}/file` });

async function addUsers(prefix: string, count: number): Promise<void> {
  const users = Array.from({ length: count }, (_, index) => ({
    username: `${prefix}${String(index).padStart(5, '0')}`,
    name: index === 0 ? '=HYPERLINK("x")' : `User ${index}`,
    passwordHash: 'none',
    createdAt: new Date('2026-06-01T12:00:00Z'),
  }));
  for (let at = 0; at < users.length; at += 5000)
    await app.ctx.db
      .insertInto('appUser')
      .values(users.slice(at, at + 5000))
      .execute();
}

describe('an export', () => {
  test('holds the filtered set over all pages, in the wanted columns, with local times and no formula', async () => {
    await app.ctx.db
      .updateTable('setting')
      .set({ value: JSON.stringify('Asia/Shanghai') })
      .where('key', '=', 'timeZone')
      .execute();
    await app.ctx.settings.reload();
    await addUsers('many', 1203);
    const columns = ['select', 'username', 'name', 'createdAt'];
    const job = (await order(admin, 'user', { format: 'csv', filter: { username: 'many', sort: 'username,asc' }, columns })).json();
    expect(job).toMatchObject({ state: 'ready', rows: 1203, list: 'user' });
    const file = await fileOf(admin, job.id);
    expect(file.headers['content-type']).toContain('text/csv');
    const lines = file.body.replace('\uFEFF', '').trimEnd().split('\r\n');
    expect(lines).toHaveLength(1204);
    expect(lines.slice(0, 3)).toEqual([
      'User name,Name,Created,Created (UTC offset)',
      `many00000,"'=HYPERLINK(""x"")",2026-06-01 20:00:00,+08:00`,
      'many00001,User 1,2026-06-01 20:00:00,+08:00',
    ]);
  });

  test('is a workbook in the language of who asks', async () => {
    const job = (await order(admin, 'user', { format: 'xlsx', filter: { username: 'many0000' } }, 'zh-CN')).json();
    expect(job.fileName).toMatch(/^用户-\d{8}-\d{4}-u[0-9a-f-]{12}\.xlsx$/);
    const lines = [];
    for await (const line of readSheet((await fileOf(admin, job.id)).rawPayload)) lines.push(line.cells);
    expect(lines[0]?.slice(0, 3)).toEqual(['编号', '用户名', '姓名']);
    expect(lines).toHaveLength(11);
  });

  test('of more than 50,000 lines continues in the background and reports when it is ready', async () => {
    await addUsers('legion', 50_001);
    const told = new Promise((resolve) => app.ctx.bus.subscribe(({ message }) => message.type === 'export.ready' && resolve(message.data)));
    const job = (await order(admin, 'user', { format: 'csv', filter: { username: 'legion' }, columns: ['username'] })).json();
    expect(job.state).toBe('running');
    expect(await told).toMatchObject({ id: job.id, state: 'ready', rows: 50_001 });
    expect((await fileOf(admin, job.id)).body.split('\r\n')).toHaveLength(50_003);
    expect((await app.call(admin, { url: '/api/export' })).json().items[0]).toMatchObject({ id: job.id, state: 'ready' });
  }, 60_000);

  test('is rejected while two others of the same user run, also for concurrent requests', async () => {
    // Fifty thousand lines take longer than the eight calls, so that no export ends in between.
    const long = { format: 'csv', filter: { username: 'legion' }, columns: ['username'] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => order(admin, 'user', long)));
    const codes = answers.map((answer): string => (answer.statusCode < 300 ? 'taken' : answer.json().code));
    expect(codes.toSorted()).toEqual([...Array<string>(6).fill('RATE_LIMIT'), 'taken', 'taken']);
    const states = async (): Promise<string[]> =>
      (await app.call(admin, { url: '/api/export' })).json().items.map(({ state }: { state: string }) => state);
    await vi.waitFor(async () => expect(await states()).not.toContain('running'), { timeout: 30_000 });
    expect((await order(admin, 'user', { format: 'csv', columns: ['username'] })).statusCode).toBeLessThan(300);
  }, 60_000);

  test('is refused by the rules of its list, stands in the audit log, and belongs to who asked', async () => {
    expect((await order(admin, 'user', { format: 'csv', filter: { lock: 'perhaps' } })).json().code).toBe('VALIDATION');
    const job = (await order(admin, 'audit', { format: 'csv', filter: { action: 'list_exported' } })).json();
    expect((await fileOf(admin, job.id)).body).toContain('List Exported');
    expect((await fileOf(await app.addUser({ roles: ['ADMIN'] }), job.id)).statusCode).toBe(404);
    expect((await order(await app.addUser({ roles: ['OPERATOR'] }), 'user', { format: 'csv' })).statusCode).toBe(403);
  });

  const RANGE = { from: '2026-06-01', to: '2026-06-02' };
  /** Query of lists that require a range or a device. */
  const NEEDS: Record<string, Record<string, string>> = {
    anomaly: RANGE,
    balance: RANGE,
    bill: RANGE,
    completeness: RANGE,
    consumption: RANGE,
    gap: RANGE,
    'reading-daily': RANGE,
    'reading-profile': { ...RANGE, profile: 'lpa' },
    phase: { transformerId: '1' },
    user: { username: 'admin' },
  };
  /** Of one DCU or one transformer, and there is none here. */
  const OF_ONE = ['station', 'dcu-log', 'phase-fact'];
  const lists = Object.values(everyRoute)
    .flatMap((group) => ('run' in group && group.run.path.startsWith('/export/') ? [group.run.path.slice('/export/'.length)] : []))
    .filter((list) => !OF_ONE.includes(list));

  test.each(lists)('of the list %s has a head in both languages', async (list) => {
    await app.ctx.db.deleteFrom('exportJob').execute();
    const heads = [];
    for (const language of ['en', 'zh-CN']) {
      const answer = await order(admin, list, { format: 'csv', filter: NEEDS[list] ?? {} }, language);
      expect(answer.json()).toMatchObject({ state: 'ready', list });
      heads.push((await fileOf(admin, answer.json().id)).body.split('\r\n')[0]);
    }
    expect(heads[0]).not.toBe(heads[1]);
    expect(heads[1]).toMatch(/\p{Script=Han}/u);
  });
});
