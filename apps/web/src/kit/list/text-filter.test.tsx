import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { TextFilter } from './text-filter.tsx';

afterEach(cleanup);

const shownOf = (given: (string | undefined)[], value: string | undefined) => (
  <TextFilter label="Class" value={value} accepts={/^\d+$/} onChange={(next) => given.push(next)} />
);
const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Class' });

test('a filter that is cleared elsewhere loses its text', () => {
  const given: (string | undefined)[] = [];
  const { rerender } = render(shownOf(given, '7'));
  expect(field().value).toBe('7');
  rerender(shownOf(given, undefined));
  expect(field().value).toBe('');
});

test('a text that the filter does not accept is marked and does not filter', () => {
  const given: (string | undefined)[] = [];
  render(shownOf(given, undefined));
  fireEvent.change(field(), { target: { value: 'x' } });
  fireEvent.blur(field());
  expect([field().getAttribute('aria-invalid'), given]).toEqual(['true', []]);
  fireEvent.change(field(), { target: { value: ' 8 ' } });
  fireEvent.blur(field());
  expect([field().getAttribute('aria-invalid'), given]).toEqual(['false', ['8']]);
});
