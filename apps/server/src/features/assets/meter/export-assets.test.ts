import type { AssetRow } from '@hes/contract/asset/meter.ts';
import { expect, test } from 'vitest';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { assetSheet } from './export-assets.ts';

const UTC = new Zone('UTC');

test('a file names the types that came with the head-end as the page does, in its language', () => {
  const row = { meterTypeName: 'Reference 3P4W', supplierName: 'Lynden Metering' } as AssetRow; // as: two columns are written, and no other
  const written = (locale: 'en-US' | 'zh-CN') =>
    (['type', 'supplier'] as const).map((key) => [assetSheet.columns[key] ?? []].flat()[0]?.cell(row, locale, UTC));
  expect([written('en-US'), written('zh-CN')]).toEqual([
    ['Reference 3P4W', 'Lynden Metering'],
    ['参考电表 3P4W', 'Lynden Metering'],
  ]);
});
