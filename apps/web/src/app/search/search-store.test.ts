import { beforeEach, expect, test } from 'vitest';
import { closeSearch, loadHistory, openSearch, saveHistory, useSearchOpen } from './search-store.ts';

beforeEach(() => localStorage.clear());

test('S-277 S-530 S-531: searches are a list of strings in local storage, with one key per user', () => {
  saveHistory('7', ['dcu', 'relay']);
  expect(Object.keys(localStorage)).toEqual(['HES_SEARCH_HISTORY_7']);
  expect([loadHistory('7'), loadHistory('8')]).toEqual([['dcu', 'relay'], []]);
});

test('a stored value that is not a list of strings is no history', () => {
  localStorage.setItem('HES_SEARCH_HISTORY_7', '{"a":1}');
  expect(loadHistory('7')).toEqual([]);
});

test('S-358: the search is open or closed', () => {
  openSearch();
  expect(useSearchOpen.getState().open).toBe(true);
  closeSearch();
  expect(useSearchOpen.getState().open).toBe(false);
});
