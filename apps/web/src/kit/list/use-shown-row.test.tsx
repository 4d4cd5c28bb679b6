import { act, renderHook } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { useScale } from '#core/theme/scale.ts';
import { useShownRow } from './use-shown-row.ts';

const IDS = ['1', '2'];

function setUp({ width, opensFirst = true, selected }: { width: number; opensFirst?: boolean; selected?: string }) {
  vi.stubGlobal('innerWidth', width);
  useScale.setState(width < 600 ? { k: 1, boost: 1 } : { k: width / 1920, boost: Math.max(1, 1662 / width) });
  const select = vi.fn();
  const { result } = renderHook(() => useShownRow(selected, select, { ids: IDS, opensFirst }));
  return { result, select };
}
afterEach(() => vi.unstubAllGlobals());

test('in a wide window the details of the first row are open until the user closes them', () => {
  const { result, select } = setUp({ width: 1920 });
  expect(result.current.shown).toBe('1');
  act(() => result.current.show(undefined));
  expect(result.current.shown).toBeUndefined();
  expect(select).toHaveBeenCalledWith(undefined);
});

test('a selected row wins, and a click opens the details again', () => {
  expect(setUp({ width: 1920, selected: '2' }).result.current.shown).toBe('2');
  const { result, select } = setUp({ width: 1920 });
  act(() => result.current.show(undefined));
  act(() => result.current.show('2'));
  expect(select).toHaveBeenLastCalledWith('2');
});

test('in narrow windows, on phones and in other lists nothing opens by itself', () => {
  expect(setUp({ width: 1366 }).result.current.shown).toBeUndefined();
  expect(setUp({ width: 390 }).result.current.shown).toBeUndefined();
  expect(setUp({ width: 1920, opensFirst: false }).result.current.shown).toBeUndefined();
});
