import type { TaskItemRow, TaskRow } from '@hes/contract/task/task.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { countStates } from './run-counts.ts';
import { RunResults } from './run-results.tsx';

beforeEach(() => {
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

const ignore = () => undefined;
const run = { id: '1', kind: 'registers', params: {}, total: 1500 } as unknown as TaskRow; // the fields that the table reads
const itemAt = (index: number) =>
  ({ id: String(index), state: 'read_success', meterSn: `M${index}`, finishedAt: null }) as unknown as TaskItemRow; // as above

test('a run with a thousand results draws the visible rows, announces all, and says that the run has more', () => {
  const items = Array.from({ length: 1000 }, (_, index) => itemAt(index));
  render(
    <RunResults
      {...{ run, items, columns: [], counts: countStates([]), filter: undefined, selected: undefined }}
      onFilter={ignore}
      onSelect={ignore}
    />,
  );
  const table = screen.getByRole('grid');
  expect(table.getAttribute('aria-rowcount')).toBe('1001');
  expect(table.querySelectorAll('tr[data-row]').length).toBeLessThan(60);
  expect(screen.getByText(/^Showing 1,?000 of 1,?500$/)).toBeDefined();
});
