import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FilterBar } from '#kit/page/list-page.tsx';
import { usePreferences } from '#core/theme/preferences.ts';
import { useAppShortcuts } from './use-app-shortcuts.ts';

function Shell() {
  useAppShortcuts();
  return (
    <main>
      <input type="text" aria-label="Node" />
      <FilterBar>
        <input type="checkbox" aria-label="Own" />
        <input type="text" aria-label="Number" />
      </FilterBar>
    </main>
  );
}
const focused = () => document.activeElement?.getAttribute('aria-label');

beforeEach(() => {
  // jsdom has no layout: every element counts as displayed.
  vi.spyOn(HTMLElement.prototype, 'offsetParent', 'get').mockReturnValue(document.body);
  render(
    <MemoryRouter>
      <Shell />
    </MemoryRouter>,
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  usePreferences.setState({ letterKeys: true });
});

test('the key / goes to the first text filter, also if other fields stand before the filters', () => {
  fireEvent.keyDown(document.body, { key: '/' });
  expect(focused()).toBe('Number');
  screen.getByLabelText('Node').focus();
  fireEvent.keyDown(screen.getByLabelText('Node'), { key: '/' });
  expect(focused()).toBe('Node');
});

test('the key / does nothing while letter keys are switched off', () => {
  usePreferences.setState({ letterKeys: false });
  fireEvent.keyDown(document.body, { key: '/' });
  expect(focused()).toBeNull();
});
