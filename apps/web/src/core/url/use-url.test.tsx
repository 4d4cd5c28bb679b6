import { PAGE_WORDS } from '@hes/contract/page/links.ts';
import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { expect, test } from 'vitest';
import { useUrl } from './use-url.ts';

const DEFAULTS = { tab: 'meters', page: '1' } as const;

function setUp(query: string) {
  const wrapper = ({ children }: { children: ReactNode }) => <MemoryRouter initialEntries={[query]}>{children}</MemoryRouter>;
  return renderHook(() => ({ url: useUrl(PAGE_WORDS.bills, DEFAULTS), query: useLocation().search }), { wrapper }).result;
}

test('an address restores the words of the page; invalid ones take their default', () => {
  expect(setUp('/?page=3&tab=houses&node=dcu:7&status=lost&foreign=1').current.url[0]).toEqual({ page: '3', tab: 'meters', node: 'dcu:7' });
});

test('a change writes words, removes those that equal their default, and leaves the others', () => {
  const result = setUp('/?page=3&foreign=1&tab=trend&sel=4');
  act(() => result.current.url[1]({ page: '1', node: 'dcu:7', sel: undefined }));
  expect(result.current.query).toBe('?foreign=1&tab=trend&node=dcu%3A7');
});
