import { beforeEach, expect, test, vi } from 'vitest';

const fresh = async () => {
  vi.resetModules();
  return (await import('./preferences.ts')).usePreferences;
};

beforeEach(() => localStorage.clear());

test('S-276 S-357 S-536 S-540: without a choice it is light and English', async () => {
  expect((await fresh()).getState()).toMatchObject({ theme: 'light', locale: 'en-US' });
});

test('S-272 S-273 S-356: the theme is light or dark and kept as SYS_THEME', async () => {
  (await fresh()).getState().setTheme('dark');
  expect([localStorage.getItem('SYS_THEME'), document.documentElement.dataset['theme']]).toEqual(['dark', 'dark']);
  expect((await fresh()).getState().theme).toBe('dark');
  localStorage.setItem('SYS_THEME', 'blue');
  expect((await fresh()).getState().theme).toBe('light');
});

test('S-274 S-275 S-537 S-538: the language is en-US or zh-CN and kept as SYS_LOCALE', async () => {
  (await fresh()).getState().setLocale('zh-CN');
  expect([localStorage.getItem('SYS_LOCALE'), document.documentElement.lang]).toEqual(['zh-CN', 'zh-CN']);
  expect((await fresh()).getState().locale).toBe('zh-CN');
  localStorage.setItem('SYS_LOCALE', 'fr');
  expect((await fresh()).getState().locale).toBe('en-US');
});
