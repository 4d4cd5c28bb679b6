import { anomalyType } from '@hes/contract/states/anomaly.ts';
import { freshness } from '@hes/contract/states/device.ts';
import { taskItemState } from '@hes/contract/task/task.ts';
import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ANOMALY, ANOMALY_ORDER } from './anomaly-tables.ts';
import { StateOf } from './state-of.tsx';
import { FRESHNESS, FRESHNESS_ORDER, ITEM, ITEM_ORDER } from './tables.ts';

test('freshness drains: each bucket has a shape of its own, so that it reads without colour', () => {
  const shapes = FRESHNESS_ORDER.map((key) => FRESHNESS[key].shape);
  expect(FRESHNESS_ORDER).toEqual(freshness.options);
  expect(new Set(shapes).size).toBe(shapes.length);
});

test('a device that never communicated is grey, because nothing broke', () => {
  expect(FRESHNESS.none.tone).toBe('none');
});

test('S-298 S-299 S-300 S-301: waiting, reading, success and fail differ by shape', () => {
  const four = (['waiting', 'reading', 'read_success', 'read_fail'] as const).map((state) => ITEM[state].shape);
  expect(new Set(four).size).toBe(4);
  expect([...ITEM_ORDER].toSorted()).toEqual(taskItemState.options.toSorted());
});

test.each(FRESHNESS_ORDER)('freshness %s shows its glyph and its word', (key) => {
  const { container } = render(<StateOf sign={FRESHNESS[key]} />);
  expect(container.querySelector('svg')?.dataset['shape']).toBe(FRESHNESS[key].shape);
  expect(container.textContent).toBe(FRESHNESS[key].text.en);
});

test('S-334 S-335 S-336 S-337 S-338 S-339: kinds of anomaly differ by shape, and only the normal one is quiet', () => {
  expect([...ANOMALY_ORDER].toSorted()).toEqual(anomalyType.options.toSorted());
  expect(new Set(ANOMALY_ORDER.map((key) => ANOMALY[key].shape)).size).toBe(ANOMALY_ORDER.length);
  expect(ANOMALY_ORDER.filter((key) => ANOMALY[key].quiet)).toEqual(['normal']);
});
