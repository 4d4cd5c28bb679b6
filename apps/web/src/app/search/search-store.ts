import { create } from 'zustand';

const HISTORY_MAX = 8;
const keyOf = (userId: string): string => `HES_SEARCH_HISTORY_${userId}`;

export const useSearchOpen = create<{ open: boolean }>()(() => ({ open: false }));
export const openSearch = (): void => useSearchOpen.setState({ open: true });
export const closeSearch = (): void => useSearchOpen.setState({ open: false });

/** Most recent first, no duplicates, at most eight. */
export const withRecent = (history: string[], query: string): string[] =>
  [query, ...history.filter((known) => known !== query)].slice(0, HISTORY_MAX);

export function loadHistory(userId: string): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((entry): entry is string => typeof entry === 'string').slice(0, HISTORY_MAX) : [];
  } catch {
    return [];
  }
}

export const saveHistory = (userId: string, history: string[]): void => localStorage.setItem(keyOf(userId), JSON.stringify(history));
