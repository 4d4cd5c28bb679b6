import { act, renderHook } from '@testing-library/react';
import type { Schema } from './field-errors.ts';
import { describe, expect, test } from 'vitest';
import { RequestFailed } from '#core/api/errors.ts';
import { useForm, useRecordForm } from './use-form.ts';

const staleWith = (current: Record<string, unknown>) =>
  new RequestFailed({ status: 409, code: 'STALE', message: 'Another user saved first', current } as RequestFailed['failure']); // as: the fields in use

/** A firmware: `version` is its own field, and it is saved against `revision`. All values are accepted. */
const firmware: Schema<unknown> = { safeParse: (data) => ({ success: true, data }) };
const valuesOf = ({ version, reason }: { version: string; reason: string }) => ({ version, reason });

test('after another user saved first, the form shows both and saves over the version of the other user', () => {
  const { result } = renderHook(() => useForm({ version: '1.0', reason: '' }, valuesOf));
  act(() => result.current.set({ reason: 'mine' }));
  expect(result.current.check(firmware, { revision: 3 })).toMatchObject({ reason: 'mine', revision: 3 });
  act(() => result.current.refuse(staleWith({ version: '1.1', reason: 'theirs', revision: 4 })));
  expect(result.current.conflict).toMatchObject({ mine: { reason: 'mine' }, theirs: { version: '1.1', reason: 'theirs' } });
  expect(result.current.check(firmware, { revision: 3 })).toEqual({ version: '1.1', reason: 'mine', revision: 4 });
});

test('the changes of a form are the values that differ from its start', () => {
  const { result } = renderHook(() => useForm({ version: '1.0', reason: '' }));
  expect(result.current.changes).toEqual({});
  act(() => result.current.set({ reason: 'mine' }));
  expect(result.current.changes).toEqual({ reason: 'mine' });
});

test('a draft that is restored to a record that another user changed shows both values', () => {
  const { result } = renderHook(() => useForm({ version: '1.0', reason: 'theirs' }, valuesOf));
  act(() => result.current.restore({ reason: 'mine' }, { reason: '' }));
  expect(result.current.conflict).toMatchObject({ mine: { reason: 'mine' }, theirs: { reason: 'theirs' } });
  expect(result.current.check(firmware, { revision: 4 })).toMatchObject({ reason: 'mine', revision: 4 });
});

test('a draft that is restored to an unchanged record, or to one that another user gave the same values, shows no conflict', () => {
  const restored = (stored: string) => {
    const { result } = renderHook(() => useForm({ version: '1.0', reason: stored }, valuesOf));
    act(() => result.current.restore({ reason: 'mine' }, { reason: '' }));
    return result.current;
  };
  expect(restored('')).toMatchObject({ conflict: undefined, values: { reason: 'mine' }, isChanged: true });
  expect(restored('mine')).toMatchObject({ conflict: undefined, isChanged: false });
});

describe('the form of a record that its page keeps showing', () => {
  const formOf = (version: number) =>
    renderHook(({ record }) => useRecordForm(record, ({ note }: { note: string; version: number }) => ({ note })), {
      initialProps: { record: { note: `v${version}`, version } },
    });

  test('takes the values that another user saved, but not while it has input', () => {
    const { result, rerender } = formOf(1);
    rerender({ record: { note: 'v2', version: 2 } });
    expect([result.current.form.values.note, result.current.record.version]).toEqual(['v2', 2]);
    act(() => result.current.form.set({ note: 'mine' }));
    rerender({ record: { note: 'v3', version: 3 } });
    expect([result.current.form.values.note, result.current.record.version]).toEqual(['mine', 2]);
    act(() => result.current.form.set({ note: 'v2' }));
    expect([result.current.form.values.note, result.current.record.version]).toEqual(['v3', 3]);
  });

  test('shows the record that was saved until the page has read a newer one', () => {
    const { result, rerender } = formOf(1);
    act(() => result.current.form.set({ note: 'mine' }));
    act(() => result.current.take({ note: 'mine', version: 2 }));
    expect(result.current).toMatchObject({ record: { version: 2 }, form: { isChanged: false, values: { note: 'mine' } } });
    rerender({ record: { note: 'v3', version: 3 } });
    expect(result.current.record.version).toBe(3);
  });
});
