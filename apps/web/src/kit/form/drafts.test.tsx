import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import { saveSession } from '#core/session/session.ts';
import { dropDrafts, hasDraft, useDraft, usePageDraft } from './drafts.ts';
import { useForm } from './use-form.ts';

const PAGE = '/system/users';
const token = { access_token: 'a', token_type: 'Bearer', expiresAt: 1 };
const signIn = (id: string) => act(() => saveSession({ id, username: `u${id}`, name: `User ${id}` }, token));
const wrapper = ({ children }: { children: ReactNode }) => (
  <MemoryRouter basename="/hes" initialEntries={[`/hes${PAGE}`]}>
    {children}
  </MemoryRouter>
);
const openPage = (path = PAGE) => history.replaceState(null, '', `/hes${path}`);

/** The form of a user on its page, as it is opened in a language. */
function openForm({ record = 'user/7', title = 'Edit User lin' } = {}) {
  openPage();
  return renderHook(
    () => {
      const form = useForm({ name: 'Lin', phone: '' });
      return { form, isBack: useDraft(form, { record, title }) };
    },
    { wrapper },
  );
}
const goElsewhere = () => openPage('/assets/dcu');

/** Types a phone number, and leaves the page. */
function typeAndLeave(): void {
  const form = openForm();
  act(() => form.result.current.form.set({ phone: '123' }));
  goElsewhere();
  form.unmount();
}

afterEach(() => {
  cleanup();
  dropDrafts(() => true);
});

test('input is kept while another page is open, and restored in the same form', () => {
  signIn('1');
  typeAndLeave();
  expect(hasDraft((path) => path === PAGE)).toBe(true);
  const second = openForm();
  expect([second.result.current.isBack, second.result.current.form.values]).toEqual([true, { name: 'Lin', phone: '123' }]);
});

test('input is restored in another language, where the form has another title', () => {
  signIn('1');
  typeAndLeave();
  expect(openForm({ title: '编辑用户 lin' }).result.current.isBack).toBe(true);
});

test('input is not restored for another record whose form has the same title', () => {
  signIn('1');
  typeAndLeave();
  expect(openForm({ record: 'user/8' }).result.current.isBack).toBe(false);
});

test('input stays when the user goes to a page whose address ends alike', () => {
  signIn('1');
  const form = openForm();
  act(() => form.result.current.form.set({ phone: '123' }));
  openPage(`/archive${PAGE}`);
  form.unmount();
  expect(openForm().result.current.isBack).toBe(true);
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
  typeAndLeave();
  signIn('2');
  expect([hasDraft(() => true), openForm().result.current.isBack]).toEqual([false, false]);
});

test('the input of an editor within a page stays per record until it is undone', () => {
  signIn('1');
  const openEditor = (id: string) =>
    renderHook(() => usePageDraft<Record<string, string>>({ record: `dcu-parameters/${id}`, title: `DCU ${id}` }), { wrapper });
  const first = openEditor('1');
  act(() => first.result.current[1]({ APN: 'meter.net' }));
  first.unmount();
  expect([openEditor('2').result.current[0], openEditor('1').result.current[0]]).toEqual([undefined, { APN: 'meter.net' }]);
  expect(hasDraft((path) => path === PAGE)).toBe(true);
  const second = openEditor('1');
  act(() => second.result.current[1](undefined));
  expect(hasDraft(() => true)).toBe(false);
});

test('the input of a form within its page stays while another record is shown, and goes when it is undone', () => {
  signIn('1');
  openPage();
  const openNote = (id: string) =>
    renderHook(
      () => {
        const form = useForm({ note: '' });
        return { form, isBack: useDraft(form, { record: `event-note/${id}`, title: 'Note' }, true) };
      },
      { wrapper },
    );
  const first = openNote('1');
  act(() => first.result.current.form.set({ note: 'Crew sent' }));
  first.unmount();
  expect(openNote('2').result.current.isBack).toBe(false);
  const again = openNote('1');
  expect(again.result.current).toMatchObject({ isBack: true, form: { values: { note: 'Crew sent' } } });
  act(() => again.result.current.form.refill({ note: '' }));
  expect(hasDraft(() => true)).toBe(false);
});
