import { describe, expect, test } from 'vitest';
import { groupByCause, type IncidentEvent, type StoredIncident } from './incidents.ts';

const MINUTE_MS = 60_000;
const cause = { dcuId: '1', log: 'standard', code: 1 };
const event = (id: string, minute: number, other: Partial<IncidentEvent> = {}): IncidentEvent => ({
  ...cause,
  id,
  occurAt: minute * MINUTE_MS,
  ...other,
});
const stored = (id: string, from: number, to: number): StoredIncident => ({
  ...cause,
  id,
  openedAt: from * MINUTE_MS,
  lastAt: to * MINUTE_MS,
});

describe('events of one cause', () => {
  test('at most ten minutes apart form one incident', () => {
    const [one, two, ...rest] = groupByCause([], [event('c', 19), event('a', 0), event('b', 10), event('d', 30)]);
    expect(one).toMatchObject({ id: undefined, eventIds: ['a', 'b', 'c'], openedAt: 0, lastAt: 19 * MINUTE_MS });
    expect(two).toMatchObject({ eventIds: ['d'] });
    expect(rest).toEqual([]);
  });

  test('are separate incidents for another code or another DCU', () => {
    expect(groupByCause([], [event('a', 0), event('b', 0, { code: 2 }), event('c', 0, { dcuId: '2' })])).toHaveLength(3);
  });

  test('continue a stored incident', () => {
    expect(groupByCause([stored('7', 0, 5)], [event('a', 12)])).toMatchObject([{ id: '7', openedAt: 0, lastAt: 12 * MINUTE_MS }]);
  });

  test('that arrive late merge two incidents into one', () => {
    const grouped = groupByCause([stored('7', 0, 5), stored('8', 20, 22)], [event('a', 13)]);
    expect(grouped).toMatchObject([{ id: '7', absorbed: ['8'], openedAt: 0, lastAt: 22 * MINUTE_MS, eventIds: ['a'] }]);
  });

  test('do not change other incidents', () => {
    expect(groupByCause([stored('7', 0, 5)], [event('a', 60)])).toMatchObject([{ id: undefined, eventIds: ['a'] }]);
  });
});
