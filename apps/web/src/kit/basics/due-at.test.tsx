import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { serverNow, dateTime } from '#core/time/format.ts';
import { DueAt } from './due-at.tsx';

afterEach(cleanup);
const HOUR_MS = 3_600_000;
const shown = (at: number) => render(<DueAt at={new Date(at).toISOString()} />).container.textContent;

test('a future time is shown, and a past one is due', () => {
  const later = serverNow() + HOUR_MS;
  expect(shown(later)).toBe(dateTime(later));
  expect(shown(serverNow() - HOUR_MS)).toBe('Due now');
});
