import { supplier } from '@hes/contract/asset/supplier.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useApiQuery } from '#core/api/hooks.ts';
import { saveSession } from '#core/session/session.ts';
import { LoadedDrawer } from './loaded-drawer.tsx';

/** Responses of the server in their order; without one, a call stays open. */
let responses: Response[] = [];
beforeEach(() => {
  saveSession({ id: '1', username: 'lin', name: 'Lin' }, { access_token: 'a', token_type: 'Bearer', expiresAt: Date.now() + 1e9 });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  vi.stubGlobal('fetch', () => {
    const next = responses.shift();
    return next ? Promise.resolve(next) : new Promise(() => undefined);
  });
});
afterEach(cleanup);

function Edit({ onClose }: { onClose: () => void }) {
  const query = useApiQuery(supplier.get, { params: { id: '1' } });
  return (
    <LoadedDrawer query={query} title="Edit Acme" onClose={onClose}>
      {({ name }) => <p>Form of {name}</p>}
    </LoadedDrawer>
  );
}
const open = (onClose = () => {}) =>
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Edit onClose={onClose} />
    </QueryClientProvider>,
  );

test('a form that waits for its data says so, and can be closed', () => {
  const onClose = vi.fn();
  open(onClose);
  expect(screen.getByRole('dialog').textContent).toContain('Edit Acme');
  expect(screen.getByRole('status', { name: 'Loading' })).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  expect(onClose).toHaveBeenCalledOnce();
});

test('a form whose data cannot be read says why, and tries again on request', async () => {
  responses = [Response.json({ code: 'NOT_FOUND', message: 'gone' }, { status: 404 }), Response.json({ id: '1', name: 'Acme' })];
  open();
  fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('Form of Acme')).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
});
