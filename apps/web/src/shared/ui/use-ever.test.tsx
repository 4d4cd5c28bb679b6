import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useEver } from './use-ever.ts';

test('what was never opened is not drawn, and what was stays to be closed', () => {
  const { result, rerender } = renderHook(({ open }) => useEver(open), { initialProps: { open: false } });
  expect(result.current).toBe(false);
  rerender({ open: true });
  expect(result.current).toBe(true);
  rerender({ open: false });
  expect(result.current).toBe(true);
});
