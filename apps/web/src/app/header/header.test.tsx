import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { App } from 'antd';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveSession } from '#core/session/session.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { Header } from './header.tsx';

const page = (path: string, children: object[] = []) => ({
  id: path,
  path,
  name: { en: path, 'zh-CN': path },
  meta: { icon: '' },
  sort: 1,
  visible: true,
  children,
});
const named = { ...page('/meter', [page('/meter/collect-plan')]), name: { en: 'Meter', 'zh-CN': '电表' } };
const modules = [page('/assets', [page('/assets/dcu')]), page('/lonely'), named];
let marker = '';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  vi.stubGlobal('fetch', (url: string) => {
    if (url.includes('/manager/module/tree')) return Promise.resolve(Response.json(modules));
    if (url.includes('/white/list/api')) return Promise.resolve(Response.json({ title: 'T', logo: { marker, address: '' } }));
    return Promise.resolve(Response.json({ items: [], total: 0 }));
  });
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
});
afterEach(() => {
  cleanup();
  usePreferences.setState({ locale: 'en-US' });
});

const show = () =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <App>
        <MemoryRouter>
          <Header />
        </MemoryRouter>
      </App>
    </QueryClientProvider>,
  );
/** Variant a has a ring around the dial. */
const hasRing = () => screen.getAllByRole('link')[0]?.querySelector('circle[r="13.4"]') !== null;

test('S-044 S-046: the header shows logo a where the host contains the marker', async () => {
  marker = location.hostname.slice(0, 5);
  show();
  await waitFor(() => expect(hasRing()).toBe(true));
});

test('S-047: the header shows the other logo on any other host', async () => {
  marker = 'another-utility';
  show();
  await screen.findByRole('button', { name: '/assets' });
  expect(hasRing()).toBe(false);
});

test('S-479: the menu shows modules with children only', async () => {
  show();
  await screen.findByRole('button', { name: '/assets' });
  expect(screen.queryByRole('button', { name: '/lonely' })).toBeNull();
});

test('S-258: a module is shown by its name in the language in use, and by the other when that changes', async () => {
  show();
  await screen.findByRole('button', { name: 'Meter' });
  expect(screen.queryByRole('button', { name: '电表' })).toBeNull();
  act(() => usePreferences.setState({ locale: 'zh-CN' }));
  await screen.findByRole('button', { name: '电表' });
  expect(screen.queryByRole('button', { name: 'Meter' })).toBeNull();
});
