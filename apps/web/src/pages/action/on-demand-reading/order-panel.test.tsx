import { MAX_METERS_PER_ORDER } from '@hes/contract/action/read.ts';
import type { TreeNode } from '@hes/contract/asset/tree.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { App } from 'antd';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OrderPanel } from './order-panel.tsx';
import { useOrder } from './use-order.ts';

beforeEach(() => {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ items: [] })));
});
afterEach(cleanup);

const dcuOf = (meters: number): TreeNode => ({
  key: 'dcu:1',
  kind: 'dcu',
  title: 'DCU26000001',
  parentKey: null,
  isLeaf: false,
  meters,
  onlineStatus: 'online',
});

function Order({ meters }: { meters: number }) {
  const order = useOrder([dcuOf(meters)], { kind: undefined, from: undefined, to: undefined }, () => undefined);
  return <OrderPanel order={order} />;
}
const show = (meters: number) =>
  render(
    <QueryClientProvider client={new QueryClient()}>
      <App>
        <Order meters={meters} />
      </App>
    </QueryClientProvider>,
  );
const start = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Start reading' });

test('a selection above the limit of an order shows why it cannot start, until it is reduced', () => {
  show(MAX_METERS_PER_ORDER + 1);
  expect(screen.getByRole('alert').textContent).toBe('At most 1,000 meters at once');
  expect(start().disabled).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Clear' }));
  expect(screen.queryByRole('alert')).toBeNull();
  expect(start().disabled).toBe(false);
});

test('a selection at the limit of an order can start', () => {
  show(MAX_METERS_PER_ORDER);
  expect(screen.queryByRole('alert')).toBeNull();
  expect(start().disabled).toBe(false);
});
