import { cleanup, render, screen } from '@testing-library/react';
import type { DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { AssetRow } from '@hes/contract/asset/meter.ts';
import { afterEach, expect, test } from 'vitest';
import { usePreferences } from '#shared/theme/preferences.ts';
import { assetColumns } from './asset-columns.tsx';
import { foundColumns } from './found-columns.tsx';

afterEach(() => {
  cleanup();
  usePreferences.setState({ locale: 'en-US' });
});

const options = { t: String, say: ({ en }: { en: string }) => en, onDialog: () => undefined };

test('built-in types and suppliers have names in the language of the user, others keep their name', () => {
  const asset = assetColumns({ ...options, selection: undefined } as never); // as: neither the selection nor its menu is rendered
  const found = foundColumns({ ...options, selection: undefined } as never);
  const cellOf = <R,>(columns: readonly { key: string; cell?: (row: R) => unknown }[], key: string, row: Partial<R>) =>
    columns.find((column) => column.key === key)?.cell?.(row as R) as never; // as: a cell renders only its own field
  usePreferences.setState({ locale: 'zh-CN' });
  render(
    <>
      {cellOf<AssetRow>(asset, 'type', { meterTypeName: 'Reference 1P2W' })}
      {cellOf<AssetRow>(asset, 'supplier', { supplierName: 'HES Reference' })}
      {cellOf<DiscoveredRow>(found, 'suggestedType', { suggestedTypeName: 'Our own 1P2W' })}
    </>,
  );
  expect(screen.getByText('参考电表 1P2W')).toBeDefined();
  expect(screen.getByText('HES 参考型号')).toBeDefined();
  expect(screen.getByText('Our own 1P2W')).toBeDefined();
});
