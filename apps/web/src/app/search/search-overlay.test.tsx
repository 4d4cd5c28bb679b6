import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { registerPage } from '#core/url/preload-page.ts';
import { saveSession } from '#core/session/session.ts';
import { closeSearch, openSearch } from './search-store.ts';
import { SearchOverlay } from './search-overlay.tsx';

const pageAt = (path: string, name: string) => ({
  id: path,
  path,
  name: { en: name, 'zh-CN': name },
  meta: { icon: '' },
  sort: 1,
  visible: true,
  children: [],
});
const modules = [
  { ...pageAt('/assets', 'Assets'), children: [pageAt(PAGE_PATH.dcus, 'DCU'), pageAt(PAGE_PATH.suppliers, 'Supplier Management')] },
];

beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
  vi.stubGlobal('fetch', (url: string) =>
    Promise.resolve(Response.json(url.includes('/manager/module/tree') ? modules : { items: [], total: 0 })),
  );
  saveSession({ id: '7', username: 'lin.wei', name: 'Lin Wei' }, { access_token: 'abc', token_type: 'Bearer', expiresAt: Infinity });
  openSearch();
});
afterEach(() => {
  closeSearch();
  cleanup();
});

test('the code of the highlighted page loads before it is opened, and of no other page', async () => {
  const [dcus, suppliers] = [vi.fn(), vi.fn()];
  registerPage(PAGE_PATH.dcus, dcus);
  registerPage(PAGE_PATH.suppliers, suppliers);
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <MemoryRouter>
        <SearchOverlay />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'supplier' } });
  await screen.findByRole('option', { name: /Supplier Management/ });
  expect(suppliers).toHaveBeenCalled();
  expect(dcus).not.toHaveBeenCalled();
});
