import { act, renderHook } from '@testing-library/react';
import type { Schema } from './field-errors.ts';
import { expect, test } from 'vitest';
import { RequestFailed } from '#core/api/errors.ts';
import { useForm } from './use-form.ts';

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
