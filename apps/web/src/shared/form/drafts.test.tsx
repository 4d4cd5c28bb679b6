import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import { saveSession } from '#shared/api/session.ts';
import { dropDrafts, hasDraft, useDraft } from './drafts.ts';
import { useForm } from './use-form.ts';

const PAGE = '/system/users';
const token = { access_token: 'a', token_type: 'Bearer', expiresAt: 1 };
const signIn = (id: string) => act(() => saveSession({ id, username: `u${id}`, name: `User ${id}` }, token));
const wrapper = ({ children }: { children: ReactNode }) => <MemoryRouter initialEntries={[PAGE]}>{children}</MemoryRouter>;

/** The form of a user named `name`, on its page. */
function openForm(name = 'Lin') {
  history.replaceState(null, '', `/hes${PAGE}`);
  return renderHook(
    () => {
      const form = useForm({ name, phone: '' });
      return { form, isBack: useDraft(form, 'Edit User lin') };
    },
    { wrapper },
  );
}
const goElsewhere = () => history.replaceState(null, '', '/hes/assets/dcu');

afterEach(() => {
  cleanup();
  dropDrafts(() => true);
});

test('input is kept while another page is open, and restored in the same form', () => {
  signIn('1');
  const first = openForm();
  act(() => first.result.current.form.set({ phone: '123' }));
  expect(hasDraft((path) => path === PAGE)).toBe(true);
  goElsewhere();
  first.unmount();
  const second = openForm();
  expect([second.result.current.isBack, second.result.current.form.values]).toEqual([true, { name: 'Lin', phone: '123' }]);
});

test('a saved or discarded form leaves no draft', () => {
  signIn('1');
  const form = openForm();
  act(() => form.result.current.form.set({ phone: '123' }));
  form.unmount();
  expect(hasDraft(() => true)).toBe(false);
  expect(openForm().result.current.isBack).toBe(false);
});

test('values that were restored by hand are no draft', () => {
  signIn('1');
  const form = openForm();
  act(() => form.result.current.form.set({ phone: '123' }));
  act(() => form.result.current.form.set({ phone: '' }));
  expect(hasDraft(() => true)).toBe(false);
});

test('a draft is not restored for another user', () => {
  signIn('1');
  const form = openForm();
  act(() => form.result.current.form.set({ phone: '123' }));
  goElsewhere();
  form.unmount();
  signIn('2');
  expect([hasDraft(() => true), openForm().result.current.isBack]).toEqual([false, false]);
});
