import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useRef, useState } from 'react';
import { createMemoryRouter, RouterProvider, useLocation, useNavigate } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SkipLink } from './skip-link.tsx';
import { useHeadingFocus } from './use-heading-focus.ts';

/** A frame with a menu and a page, whose heading appears when `show` is called. */
function Frame() {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const [isLoaded, setLoaded] = useState(true);
  useHeadingFocus(main, pathname);
  return (
    <>
      <SkipLink main={main} />
      {['/a', '/b', '/b?tab=2', '/redirect/b'].map((path) => (
        <button key={path} type="button" onClick={() => void navigate(path)}>
          {path}
        </button>
      ))}
      <button type="button" onClick={() => setLoaded(!isLoaded)}>
        load
      </button>
      <main ref={main} tabIndex={-1}>
        {isLoaded ? <h1>Page {pathname}</h1> : null}
        {pathname === '/field' ? <input autoFocus aria-label="Field" /> : null}
      </main>
    </>
  );
}
const focused = () => document.activeElement?.textContent;
const press = (name: string) => {
  const button = screen.getByRole('button', { name });
  button.focus();
  fireEvent.click(button);
};

let router: ReturnType<typeof createMemoryRouter>;
beforeEach(() => {
  // jsdom has no layout: every element counts as displayed.
  vi.spyOn(HTMLElement.prototype, 'offsetParent', 'get').mockReturnValue(document.body);
  router = createMemoryRouter([{ path: '*', element: <Frame /> }], { initialEntries: ['/a'] });
  render(<RouterProvider router={router} />);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test('the heading of the page takes the focus after a navigation, not on the first load', async () => {
  expect(document.activeElement).toBe(document.body);
  press('/b');
  await vi.waitFor(() => expect(focused()).toBe('Page /b'));
  press('/a');
  await vi.waitFor(() => expect(focused()).toBe('Page /a'));
});

test('the focus stays where it is when a tab of the same page opens or the page is loaded again', async () => {
  press('/b');
  await vi.waitFor(() => expect(focused()).toBe('Page /b'));
  for (const path of ['/b?tab=2', '/redirect/b']) {
    press(path);
    await vi.waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe(path));
    expect(focused()).toBe(path);
  }
});

test('a heading that comes late takes the focus, unless the user has moved it meanwhile', async () => {
  press('load');
  press('/b');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/b'));
  fireEvent.click(screen.getByRole('button', { name: 'load' }));
  await vi.waitFor(() => expect(focused()).toBe('Page /b'));
  press('load');
  press('/a');
  await vi.waitFor(() => expect(router.state.location.pathname).toBe('/a'));
  press('load');
  await screen.findByRole('heading', { name: 'Page /a' });
  expect(focused()).toBe('load');
});

test('a page that focuses a field keeps that focus', async () => {
  await act(() => router.navigate('/field'));
  await screen.findByRole('heading', { name: 'Page /field' });
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Field');
});

test('the first tab stop leads to the main content', () => {
  fireEvent.click(screen.getByRole('link', { name: 'Skip to the main content' }));
  expect(document.activeElement).toBe(screen.getByRole('main'));
});
