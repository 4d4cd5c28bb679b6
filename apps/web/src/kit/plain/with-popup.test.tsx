import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { WithPopup } from './with-popup.tsx';

// jsdom has no media queries and never resizes.
beforeAll(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }));
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
});
afterEach(cleanup);

const menu = { items: [{ key: 'one', label: 'One' }] };

test('a click before the code of a menu has loaded opens the menu of that button', async () => {
  render(
    <WithPopup trigger={['click']} menu={menu}>
      <button type="button">Words</button>
    </WithPopup>,
  );
  const button = screen.getByRole('button', { name: 'Words' });
  button.focus();
  fireEvent.click(button);
  expect(screen.queryByRole('menuitem')).toBeNull();
  expect(await screen.findByRole('menuitem', { name: 'One' }, { timeout: 20_000 })).toBeDefined();
  expect(screen.getByRole('button', { name: 'Words' })).toBe(button);
  expect(document.activeElement).toBe(button);
});

test('a context menu opens on the right mouse button', async () => {
  render(
    <WithPopup trigger={['contextMenu']} menu={menu}>
      <div>Tab</div>
    </WithPopup>,
  );
  const tab = screen.getByText('Tab');
  fireEvent.click(tab);
  expect(fireEvent.contextMenu(tab)).toBe(false);
  expect(await screen.findByRole('menuitem', { name: 'One' }, { timeout: 20_000 })).toBeDefined();
});

test('a panel is not rendered before pointer or focus reaches its button', () => {
  render(
    <WithPopup trigger={['click']} content={<p>Notices</p>}>
      <button type="button">Bell</button>
    </WithPopup>,
  );
  expect(screen.queryByText('Notices')).toBeNull();
});
