import { expect, test } from 'vitest';
import { changesOf, summaryOf } from './changes.ts';

test('of a nested change only what differs is shown, by its path', () => {
  const detail = {
    username: 'nora',
    before: { value: { hours: [24, 48, 72], unit: 'h' }, name: 'Nora' },
    after: { value: { hours: [24, 48, 96], unit: 'h' }, phone: null },
  };
  expect(changesOf(detail)).toEqual([
    { field: 'value.hours', before: '[24,48,72]', after: '[24,48,96]' },
    { field: 'name', before: 'Nora', after: undefined },
    { field: 'phone', before: undefined, after: 'null' },
  ]);
  expect(summaryOf(detail)).toBe('username: nora · value.hours: [24,48,72] → [24,48,96] · name: Nora → — · phone: — → null');
});
