import { act, cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { usePreferences } from '#core/theme/preferences.ts';

const HOUR_S = 3600;
const timesOf = (count: number) => Array.from({ length: count }, (_, at) => 1_770_000_000 + at * HOUR_S);

let drawnPoints = 0;
/** A canvas that draws nothing: jsdom has none. */
const context = new Proxy({} as CanvasRenderingContext2D, {
  get: (_, name) => (name === 'measureText' ? () => ({ width: 10 }) : () => undefined),
  set: () => true,
});

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(800);
  vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(300);
  vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(context);
  vi.stubGlobal('matchMedia', () => ({ addEventListener: () => undefined, removeEventListener: () => undefined }));
  vi.stubGlobal(
    'Path2D',
    class {
      moveTo() {}
      lineTo() {
        drawnPoints += 1;
      }
      rect() {}
      arc() {}
      closePath() {}
    },
  );
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe = () => undefined;
      disconnect = () => undefined;
    },
  );
  Object.defineProperty(document, 'fonts', { value: { ready: Promise.resolve() }, configurable: true });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  usePreferences.setState({ theme: 'light' });
});

/** The library asks for `matchMedia` while it loads. */
const loadChart = async () => (await import('./line-chart.tsx')).LineChart;
const plotOf = (container: HTMLElement) => container.querySelector('.uplot');
/** Each entry of the legend; hidden series are marked. */
const legendOf = (container: HTMLElement) =>
  [...container.querySelectorAll('.u-series')].map(
    (row) => `${row.querySelector('.u-label')?.textContent}${row.classList.contains('u-off') ? ' hidden' : ''}`,
  );

test('a poll keeps the plot, so that a hidden series stays hidden, and draws when values changed', async () => {
  const LineChart = await loadChart();
  const chart = (count: number, peak: number) => (
    <LineChart
      label="Load"
      timeLabel="Time"
      unit="kW"
      times={timesOf(count)}
      series={[
        { label: 'Import', colour: 'primary', values: timesOf(count).map((_, at) => (at === count - 1 ? peak : at)) },
        { label: 'Export', colour: 'teal', values: timesOf(count).map(() => 2) },
      ]}
      notes={{ label: 'Quality', texts: timesOf(count).map(() => 'read') }}
    />
  );
  const { container, rerender } = render(chart(5, 9));
  await act(() => Promise.resolve());
  const first = plotOf(container);
  expect(first).not.toBeNull();
  fireEvent.click(container.querySelectorAll('.u-series .u-label')[2] ?? container);
  expect(legendOf(container)).toEqual(['Time', 'Import', 'Export hidden', 'Quality']);
  await act(() => Promise.resolve());
  drawnPoints = 0;
  rerender(chart(5, 9));
  await act(() => Promise.resolve());
  expect(drawnPoints).toBe(0);
  rerender(chart(6, 11));
  await act(() => Promise.resolve());
  expect(drawnPoints).toBeGreaterThan(0);
  expect(plotOf(container)).toBe(first);
  expect(legendOf(container)).toEqual(['Time', 'Import', 'Export hidden', 'Quality']);
  act(() => usePreferences.setState({ theme: 'dark' }));
  expect(plotOf(container)).not.toBe(first);
});
