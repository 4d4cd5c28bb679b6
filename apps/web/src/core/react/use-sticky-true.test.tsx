import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useStickyTrue } from './use-sticky-true.ts';

test('a dialog is not rendered before it first opens, and stays mounted for its closing animation', () => {
  const { result, rerender } = renderHook(({ open }) => useStickyTrue(open), { initialProps: { open: false } });
  expect(result.current).toBe(false);
  rerender({ open: true });
  expect(result.current).toBe(true);
  rerender({ open: false });
  expect(result.current).toBe(true);
});
