import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter, useLocation } from 'react-router';
import { expect, test } from 'vitest';
import { refilter } from '#core/url/write-url.ts';
import { useListUrl } from './use-list-url.ts';

const DEFAULTS = { page: '1', sort: 'sn,asc', search: undefined, sel: undefined };

function setUp(at: string) {
  const wrapper = ({ children }: { children: ReactNode }) => <MemoryRouter initialEntries={[at]}>{children}</MemoryRouter>;
  return renderHook(() => ({ state: useListUrl(DEFAULTS), location: useLocation() }), { wrapper }).result;
}

test('an address restores filters, page, sort and the selected row', () => {
  const { current } = setUp('/assets/dcu?page=3&search=0427&sel=9');
  expect(current.state[0]).toEqual({ page: '3', sort: 'sn,asc', search: '0427', sel: '9' });
});

test('what equals its default leaves the address, and foreign keys stay', () => {
  const result = setUp('/assets/dcu?page=3&other=1');
  act(() => result.current.state[1]({ page: '1', search: 'x' }));
  expect(result.current.location.search).toBe('?other=1&search=x');
});

test('a new filter goes back to page one', () => {
  const result = setUp('/assets/dcu?page=3');
  act(() => result.current.state[1](refilter({ search: 'T06' })));
  expect(result.current.state[0]).toMatchObject({ page: '1', search: 'T06' });
});
