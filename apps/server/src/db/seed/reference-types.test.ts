import { afterAll, beforeAll, expect, it } from 'vitest';
import { testApp, type TestApp } from '../../../test/test-app.ts';
import { findFreeName, seedReferenceTypes } from './reference-types.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const seedAgain = () => app.ctx.db.transaction().execute(seedReferenceTypes);
const rowsOf = (table: 'supplier' | 'dcuType' | 'meterType') =>
  app.ctx.db.selectFrom(table).select(['id', 'code', 'name', 'builtinKey', 'enabled']).orderBy('code').execute();

it('an empty installation has a reference DCU type, a plain gateway and two reference meter types, and a second start adds none', async () => {
  const before = [await rowsOf('supplier'), await rowsOf('dcuType'), await rowsOf('meterType')];
  expect(before.map((rows) => rows.map(({ code, builtinKey }) => [code, builtinKey]))).toEqual([
    [['HES-REF', 'supplier']],
    [
      ['REF-DCU', 'dcu'],
      ['REF-GATEWAY', 'gateway'],
    ],
    [
      ['REF-1P2W', 'meter_1p2w'],
      ['REF-3P4W', 'meter_3p4w'],
    ],
  ]);
  await app.ctx.db.updateTable('dcuType').set({ name: 'Ours', enabled: false }).where('builtinKey', '=', 'dcu').execute();
  await seedAgain();
  expect((await rowsOf('dcuType')).map(({ code, name, enabled }) => [code, name, enabled])).toEqual([
    ['REF-DCU', 'Ours', false],
    ['REF-GATEWAY', 'Plain gateway', true],
  ]);
  expect([await rowsOf('supplier'), await rowsOf('meterType')]).toEqual([before[0], before[2]]);
});

it('an older database gets them once, with other codes and names where these are in use', async () => {
  const { db } = app.ctx;
  await db.updateTable('supplier').set({ builtinKey: null }).execute();
  await db.updateTable('meterType').set({ builtinKey: null, code: 'ref-1p2w' }).where('code', '=', 'REF-1P2W').execute();
  await seedAgain();
  await seedAgain();
  expect((await rowsOf('supplier')).map(({ code, name, builtinKey }) => [code, name, builtinKey])).toEqual([
    ['HES-REF', 'HES Reference', null],
    ['HES-REF-2', 'HES Reference 2', 'supplier'],
  ]);
  const meters = await rowsOf('meterType');
  expect(meters.filter(({ builtinKey }) => builtinKey === 'meter_1p2w')).toMatchObject([{ code: 'REF-1P2W-2', name: 'Reference 1P2W 2' }]);
  expect(meters).toHaveLength(3);
});

it('a code in use gets the first free number as suffix', () => {
  expect(findFreeName('REF', [], '-')).toBe('REF');
  expect(findFreeName('REF', ['ref', 'REF-2'], '-')).toBe('REF-3');
});
