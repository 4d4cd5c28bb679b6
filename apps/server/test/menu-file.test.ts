import type { ModuleFile } from '@hes/contract/manager/module.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

let app: TestApp;
let admin: TestUser;
let delivered: ModuleFile;
beforeAll(async () => {
  app = await testApp();
  admin = await app.addUser({ roles: ['ADMIN'] });
  delivered = (await app.call(admin, { url: '/api/manager/module/file' })).json();
});
afterAll(() => app.close());

const replace = (file: ModuleFile) => app.call(admin, { method: 'POST', url: '/api/manager/module/file', payload: file });
const menu = async (): Promise<ModuleFile> => (await app.call(admin, { url: '/api/manager/module/file' })).json();
const without = (word: string): ModuleFile => ({ modules: delivered.modules.filter(({ path }) => !path.startsWith(word)) });

describe('the menu as a file', () => {
  test('takes the place of the menu: order, names, new modules; what it does not name is hidden, and all keeps its rights', async () => {
    const [first, ...rest] = without('/meter-management')
      .modules.toReversed()
      .filter(({ type }) => type === 'group');
    expect(first && rest.length > 0).toBe(true);
    const kept = without('/meter-management').modules;
    const file = {
      modules: [
        { nameEn: 'Reports', nameZh: '报表', path: '/reports', icon: 'list', type: 'group' as const, visible: true, parentPath: null },
        {
          nameEn: 'Losses',
          nameZh: '线损',
          path: '/reports/losses',
          icon: 'list',
          type: 'page' as const,
          visible: true,
          parentPath: '/reports',
        },
        ...kept,
      ],
    };
    const operator = await app.addUser({ roles: ['OPERATOR'] });
    const pathsOf = async (user: TestUser) => JSON.stringify((await app.call(user, { url: '/api/manager/module/tree' })).json());
    const before = await pathsOf(operator);
    expect((await replace(file)).statusCode).toBe(200);
    const hidden = delivered.modules
      .filter(({ path, type }) => type === 'page' && path.startsWith('/meter-management'))
      .map((module) => ({ ...module, visible: false, parentPath: null }));
    const { modules } = await menu();
    expect(modules).toHaveLength(file.modules.length + hidden.length);
    expect(modules).toEqual(expect.arrayContaining([...file.modules, ...hidden]));
    expect((await app.call(operator, { url: '/api/network/topology' })).statusCode).toBe(200);
    expect(await pathsOf(operator)).not.toContain('/reports');
    expect(before).toContain('/action/on-demand-reading');
    expect(await pathsOf(operator)).toContain('/action/on-demand-reading');
    expect((await app.call(admin, { url: '/api/manager/audit?size=1' })).json().items[0]).toMatchObject({
      action: 'menu_replaced',
      detail: { from: 'file', added: ['/reports', '/reports/losses'] },
    });
    expect((await app.call(admin, { method: 'POST', url: '/api/manager/module/restore' })).statusCode).toBe(200);
    expect(await menu()).toEqual(delivered);
  });

  test('that names a path twice, hangs a page on a page, or loses System Management changes nothing', async () => {
    const [page] = delivered.modules.filter(({ type }) => type === 'page');
    if (page === undefined) throw new Error('the menu has no page');
    const wrong: [ModuleFile, string][] = [
      [{ modules: [...delivered.modules, page] }, 'DUPLICATE'],
      [{ modules: [...delivered.modules, { ...page, path: '/x', parentPath: page.path }] }, 'MODULE_PARENT'],
      [without('/system/system-management'), 'ADMIN_KEEPS_SYSTEM'],
    ];
    for (const [file, code] of wrong) expect((await replace(file)).json().code).toBe(code);
    expect(await menu()).toEqual(delivered);
  });
});
