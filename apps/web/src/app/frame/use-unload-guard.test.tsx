import { act, cleanup, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { MemoryRouter } from 'react-router';
import { afterEach, expect, test } from 'vitest';
import { dropDrafts, usePageDraft } from '#kit/form/drafts.ts';
import { useUnloadGuard } from './use-unload-guard.ts';

afterEach(() => {
  cleanup();
  dropDrafts(() => true);
});

/** Whether the browser would ask before it leaves. */
function asksBeforeLeaving(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  dispatchEvent(event);
  return event.defaultPrevented;
}

test('the browser asks before it closes the console while input is unsaved, and not otherwise', () => {
  const wrapper = ({ children }: { children: ReactNode }) => <MemoryRouter>{children}</MemoryRouter>;
  const editor = renderHook(
    () => {
      useUnloadGuard();
      return usePageDraft<Record<string, string>>({ record: 'dcu-parameters/1', title: 'DCU 1' });
    },
    { wrapper },
  );
  expect(asksBeforeLeaving()).toBe(false);
  act(() => editor.result.current[1]({ APN: 'meter.net' }));
  expect(asksBeforeLeaving()).toBe(true);
  act(() => editor.result.current[1](undefined));
  expect(asksBeforeLeaving()).toBe(false);
});
