import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { describe, expect, test } from 'vitest';
import { addSample, angleOf, meterNow } from './meter-values.ts';

const value = (item: string, is: number | string): ReadValue => ({
  item,
  obis: '',
  value: is,
  unit: '',
  at: null,
  raw: null,
  scaler: null,
  reasonCode: null,
});

describe('what a meter measures', () => {
  test('of a single-phase meter stands on its one phase', () => {
    const now = meterNow([value('U1', 229.4), value('I1', 2), value('P_PLUS', 430), value('P_MINUS', 0), value('PF', 0.94)]);
    expect(now.phases).toMatchObject([{ name: 'L1', voltage: 229.4, power: 430, factor: 0.94 }]);
  });

  test('of a three-phase meter stands on each of its phases; export is negative', () => {
    const now = meterNow([
      value('U1', 230),
      value('U2', 231),
      value('U3', 229),
      value('P1_PLUS', 0),
      value('P1_MINUS', 500),
      value('PF1', 1),
    ]);
    expect(now.phases.map((phase) => phase.voltage)).toEqual([230, 231, 229]);
    expect(now.phases[0]).toMatchObject({ power: -500, angle: 180 });
    expect(now.phases[1]?.power).toBeNull();
  });

  test('of a three-phase meter without power factors by phase is not assigned to its phases', () => {
    const now = meterNow([value('U1', 230), value('U2', 231), value('U3', 229), value('PF', 0.9)]);
    expect(now.phases.map(({ factor, angle }) => ({ factor, angle }))).toEqual(
      Array.from({ length: 3 }, () => ({ factor: null, angle: null })),
    );
    expect(now.factor).toBe(0.9);
  });

  test('an inductive load lags, a capacitive one leads, and without a power factor the angle is unknown', () => {
    expect(angleOf(0.5, 100, 50)).toBeCloseTo(60);
    expect(angleOf(0.5, 100, -50)).toBeCloseTo(-60);
    expect(angleOf(null, 100, 50)).toBeNull();
  });

  test('a relay is connected, disconnected or ready; without one its state is unknown', () => {
    expect(meterNow([value('RELAY_STATE', 1), value('RELAY_OUTPUT', 'true')])).toMatchObject({ relay: 'connected', isOutputOn: true });
    expect(meterNow([]).relay).toBeNull();
  });
});

test('a round is added to the series once', () => {
  const item = {
    meterId: '7',
    state: 'read_success',
    finishedAt: '2026-01-01T00:00:00Z',
    result: { values: [] },
  } as unknown as TaskItemRow; // as: only these fields are used by the series
  const once = addSample(new Map(), item);
  expect(addSample(once, item)).toBe(once);
  expect(addSample(once, { ...item, finishedAt: '2026-01-01T00:00:05Z' }).get('7')).toHaveLength(2);
  expect(addSample(once, { ...item, state: 'read_fail', finishedAt: '2026-01-01T00:00:09Z' })).toBe(once);
});
