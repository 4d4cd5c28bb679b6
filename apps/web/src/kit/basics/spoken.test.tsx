import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Spoken } from './spoken.tsx';

test('a text that changes many times a second is announced every five seconds with its latest value', () => {
  vi.useFakeTimers();
  const { rerender } = render(<Spoken text="0 of 9 done" />);
  for (let done = 1; done <= 9; done += 1) rerender(<Spoken text={`${done} of 9 done`} />);
  expect(screen.queryByText('0 of 9 done')).not.toBeNull();
  act(() => void vi.advanceTimersByTime(5000));
  expect(screen.queryByText('9 of 9 done')).not.toBeNull();
  vi.useRealTimers();
});
