import { expect, test } from 'vitest';
import { backFrom, loginPath, plainPath, safeRedirect } from './addresses.ts';

test('S-100 S-101: the sign-in remembers the whole address, and keeps its query as well', () => {
  const query = new URLSearchParams(loginPath('/assets/dcu?sn=12&page=2').split('?')[1]);
  expect(query.get('redirect')).toBe('/assets/dcu?sn=12&page=2');
  expect([query.get('sn'), query.get('page')]).toEqual(['12', '2']);
  expect(loginPath('/')).toBe('/login');
});

test('S-509: from error pages nothing leads back', () => {
  expect(['/403', '/404', '/login'].map((path) => loginPath(backFrom(path, '?a=1')))).toEqual(['/login', '/login', '/login']);
  expect(backFrom('/assets/dcu', '?a=1')).toBe('/assets/dcu?a=1');
});

test('a sign-in never leads to another site', () => {
  expect(['//evil', '/\\evil', 'https://evil', null].map(safeRedirect)).toEqual(['/', '/', '/', '/']);
});

test('a sign-in never leads back to itself', () => {
  expect(['/login', '/login?redirect=%2Fdashboard', '/login/'].map(safeRedirect)).toEqual(['/', '/', '/']);
  expect(safeRedirect('/logins/of-today')).toBe('/logins/of-today');
});

test('S-049: a path loses the slash at its end, and never begins with two', () => {
  expect(['/assets/dcu/', '/assets/dcu', '//evil/', '/a//b///', '/', '//'].map(plainPath)).toEqual([
    '/assets/dcu',
    '/assets/dcu',
    '/evil',
    '/a/b',
    '/',
    '/',
  ]);
});
