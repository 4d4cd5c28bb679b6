import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
});
afterAll(() => app.close());

const HEAD = 'User name,Name,Roles,Password,Phone';

const upload = (file: string | Buffer, user = admin, language = 'en') =>
  app.call(user, {
    method: 'POST',
    url: '/api/import/user?name=people.csv',
    headers: { 'content-type': 'application/octet-stream', 'accept-language': language },
    payload: file,
  });
const commit = (id: string, user = admin) => app.call(user, { method: 'POST', url: `/api/import/user/${id}/commit` });
const result = (id: string, user = admin) => app.call(user, { url: `/api/import/user/${id}/result` });
const usersNamed = async (word: string) => (await app.call(admin, { url: `/api/manager/user?username=${word}` })).json().items;

describe('a list of users', () => {
  test('is judged line by line, and nothing is changed before it is confirmed', async () => {
    const answer = await upload(
      [
        HEAD,
        'lena,Lena,OPERATOR; auditor,Quiet-Lantern-8,',
        'lena2,,NOBODY,short,12',
        'LENA,Lena again,OPERATOR,Quiet-Lantern-8,',
        'lena3,No Password,OPERATOR,,',
      ].join('\r\n'),
    );
    expect(answer.statusCode).toBe(200);
    const preview = answer.json();
    expect(preview).toMatchObject({ total: 4, new: 1, update: 0, errors: 3, isDone: false });
    const byLine = (line: number) => preview.rows.find((row: { line: number }) => row.line === line);
    expect(byLine(2)).toMatchObject({ verdict: 'new', cells: { username: 'lena', password: '••••••' } });
    expect(byLine(3).issues.map((issue: { column: string }) => issue.column)).toEqual(['name', 'phone', 'password']);
    expect(byLine(4).issues).toEqual([{ column: 'username', message: 'The same as line 2' }]);
    expect(byLine(5).issues).toEqual([{ column: 'password', message: 'A new user needs a password' }]);
    expect(await usersNamed('lena')).toEqual([]);

    const done = await commit(preview.id);
    expect(done.json()).toMatchObject({ new: 1, errors: 3, isDone: true });
    expect(await usersNamed('lena')).toMatchObject([
      { username: 'lena', mustChangePassword: true, roles: [{ code: 'AUDITOR' }, { code: 'OPERATOR' }] },
    ]);
    const file = await result(preview.id);
    expect(file.headers['content-disposition']).toContain("filename*=UTF-8''people-result.csv");
    expect(file.body).toContain('2,Added,,lena,Lena');
    expect(file.body).toContain('4,Not imported,User name: The same as line 2,LENA');
    expect(file.body).not.toContain('Quiet-Lantern-8');
    const audit = (await app.call(admin, { url: '/api/manager/audit?size=2' })).json().items;
    expect(audit).toMatchObject([{ action: 'list_imported', detail: { list: 'user', new: 1, errors: 3 } }, { action: 'user_created' }]);
    expect((await commit(preview.id)).json().code).toBe('NOTHING_TO_DO');
  });

  test('changes those who are there, and leaves their passwords alone', async () => {
    await commit((await upload(`${HEAD}\nmara,Mara,OPERATOR,Quiet-Lantern-8,+49 30 1234\n`)).json().id);
    const again = (await upload(`${HEAD}\nMara,Mara Meyer,AUDITOR,,\nadmin,x,ADMIN,Quiet-Lantern-8,\n`)).json();
    expect(again).toMatchObject({ new: 0, update: 1, errors: 1 });
    await commit(again.id);
    expect(await usersNamed('mara')).toMatchObject([{ name: 'Mara Meyer', phone: '+49 30 1234', roles: [{ code: 'AUDITOR' }] }]);
  });

  test('that is partly out of date imports the lines that are still valid', async () => {
    const preview = (await upload(`${HEAD}\nnils,Nils,OPERATOR,Quiet-Lantern-8,\nolga,Olga,OPERATOR,Quiet-Lantern-8,\n`)).json();
    expect(preview.new).toBe(2);
    await commit((await upload(`${HEAD}\nnils,Another Nils,OPERATOR,Quiet-Lantern-8,\n`)).json().id);
    expect((await commit(preview.id)).json()).toMatchObject({ new: 1, errors: 1 });
    expect(await usersNamed('nils')).toMatchObject([{ name: 'Another Nils' }]);
  });

  test('in Chinese is read and answered in Chinese', async () => {
    const answer = (await upload('用户名,姓名,角色,密码\nwang,王,没有,Quiet-Lantern-8\n', admin, 'zh-CN')).json();
    expect(answer.rows[0].issues).toEqual([{ column: 'roles', message: '不存在角色 没有' }]);
    expect(answer.columns[0].title).toBe('用户名');
  });

  test('is invisible to other users, and cannot grant rights that the user lacks', async () => {
    const { id } = (await upload(`${HEAD}\npia,Pia,OPERATOR,Quiet-Lantern-8,\n`)).json();
    const other = await app.addUser({ roles: ['ADMIN'] });
    expect((await commit(id, other)).statusCode).toBe(404);
    expect((await result(id, other)).statusCode).toBe(404);
    const clerk = await app.addUser({ roles: ['ASSET_CLERK'] });
    expect((await upload(`${HEAD}\nx,X,ADMIN,Quiet-Lantern-8,\n`, clerk)).statusCode).toBe(403);
  });

  test.each([
    ['Name,Roles\nx,y\n', 422, 'FILE_UNREADABLE', /The column User name is missing/],
    [`${HEAD}\n`, 422, 'FILE_UNREADABLE', /It has no lines/],
    [`${HEAD}\n${'a,b,c,d,e\n'.repeat(301)}`, 422, 'TOO_MANY_ROWS', /more than 300 rows/],
    [Buffer.alloc(21 * 1024 * 1024, 0x61), 413, 'FILE_TOO_LARGE', /too large/],
  ])('that is no such list is refused with a sentence', async (file, status, code, sentence) => {
    const answer = await upload(file);
    expect([answer.statusCode, answer.json().code]).toEqual([status, code]);
    expect(answer.json().detail).toMatch(sentence);
  });

  test.each(['csv', 'xlsx'])('has a template as %s that can be imported', async (format) => {
    const template = await app.call(admin, { url: `/api/import/user/template?format=${format}` });
    expect(template.statusCode).toBe(200);
    const answer = (await upload(template.rawPayload)).json();
    expect(answer.rows[0]).toMatchObject({ cells: { username: 'night.reader' }, issues: [{ column: 'password' }] });
  });
});
