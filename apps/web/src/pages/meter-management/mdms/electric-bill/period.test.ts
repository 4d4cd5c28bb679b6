import { describe, expect, it } from 'vitest';
import { changeKind, courseOf, isTooLong, monthOf, periodOf } from './period.ts';

const TODAY = '2026-03-05';
const nothing = { kind: undefined, from: undefined, to: undefined };

describe('A period', () => {
  it('is yesterday when the address contains none, or an invalid one', () => {
    expect(periodOf(nothing, TODAY)).toEqual({ kind: 'day', from: '2026-03-04', to: '2026-03-04' });
    expect(periodOf({ kind: 'custom', from: 'x', to: '2026-03-04' }, TODAY).from).toBe('2026-03-04');
  });

  it('of a month is a whole one of the calendar, leap years too', () => {
    expect(monthOf('2028-02-10')).toEqual({ from: '2028-02-01', to: '2028-02-29' });
    expect(periodOf({ kind: 'month', from: '2026-12-24', to: undefined }, TODAY)).toEqual({
      kind: 'month',
      from: '2026-12-01',
      to: '2026-12-31',
    });
  });

  it('of one day is drawn with the thirty before it, any other as it is', () => {
    expect(courseOf({ kind: 'day', from: '2026-03-31', to: '2026-03-31' })).toBe('2026-03-01');
    expect(courseOf({ kind: 'custom', from: '2026-03-30', to: '2026-03-31' })).toBe('2026-03-30');
  });

  it('changes its kind around its last day, and is too long from 32 days on', () => {
    const custom = { kind: 'custom' as const, from: '2026-02-01', to: '2026-03-03' };
    expect(changeKind(custom, 'day').from).toBe('2026-03-03');
    expect(changeKind(custom, 'month')).toEqual({ kind: 'month', from: '2026-03-01', to: '2026-03-31' });
    expect(isTooLong(custom)).toBe(false);
    expect(isTooLong({ ...custom, to: '2026-03-04' })).toBe(true);
  });
});
