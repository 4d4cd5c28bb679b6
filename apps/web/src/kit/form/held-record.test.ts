import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useHeldRecord } from './held-record.ts';

const formOf = (id: string, version: number) =>
  renderHook(({ record, isTyped }) => useHeldRecord(record, isTyped).version, {
    initialProps: { record: { id, version }, isTyped: false },
  });

test('a form takes the values that another user saved, but not while it has input', () => {
  const form = formOf('1', 1);
  form.rerender({ record: { id: '1', version: 2 }, isTyped: false });
  expect(form.result.current).toBe(2);
  form.rerender({ record: { id: '1', version: 3 }, isTyped: true });
  expect(form.result.current).toBe(2);
  form.rerender({ record: { id: '1', version: 3 }, isTyped: false });
  expect(form.result.current).toBe(3);
});

test('another record is another form', () => {
  const form = formOf('1', 1);
  form.rerender({ record: { id: '2', version: 7 }, isTyped: true });
  expect(form.result.current).toBe(7);
});
