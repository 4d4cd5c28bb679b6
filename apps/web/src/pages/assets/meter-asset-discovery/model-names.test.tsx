import { cleanup, render, screen } from '@testing-library/react';
import type { DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { AssetRow } from '@hes/contract/asset/meter.ts';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { usePreferences } from '#core/theme/preferences.ts';
import type { ListTools } from '#kit/list/list-parts.ts';
import { assetList } from './asset-list.tsx';
import { foundList } from './found-list.tsx';

afterEach(() => {
  cleanup();
  usePreferences.setState({ locale: 'en-US' });
});

const tools: ListTools = { say: ({ en }) => en, may: () => true, me: undefined, locale: 'en-US', siblingsOf: () => [] };

test('built-in types and suppliers have names in the language of the user, others keep their name', () => {
  const cellOf = <R,>(columns: readonly { key: string; cell?: (row: R, tools: ListTools) => ReactNode }[], key: string, row: Partial<R>) =>
    columns.find((column) => column.key === key)?.cell?.(row as R, tools); // as: a cell renders only its own field
  usePreferences.setState({ locale: 'zh-CN' });
  render(
    <>
      {cellOf<AssetRow>(assetList.columns, 'type', { meterTypeName: 'Reference 1P2W' })}
      {cellOf<AssetRow>(assetList.columns, 'supplier', { supplierName: 'HES Reference' })}
      {cellOf<DiscoveredRow>(foundList.columns, 'suggestedType', { suggestedTypeName: 'Our own 1P2W' })}
    </>,
  );
  expect(screen.getByText('参考电表 1P2W')).toBeDefined();
  expect(screen.getByText('HES 参考型号')).toBeDefined();
  expect(screen.getByText('Our own 1P2W')).toBeDefined();
});
