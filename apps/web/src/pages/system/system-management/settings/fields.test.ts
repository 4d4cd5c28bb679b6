import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { expect, test } from 'vitest';
import { NUMBER_FIELDS, valueAt, withValue } from './fields.ts';

test('every number of every setting has a field', () => {
  for (const [key, fields] of Object.entries(NUMBER_FIELDS)) {
    const value: unknown = SETTINGS[key as keyof typeof NUMBER_FIELDS].value; // keys of that object
    const count = JSON.stringify(value).match(/-?\d+(\.\d+)?/g)?.length;
    expect([key, fields.map(({ path }) => typeof valueAt(value, path))]).toEqual([key, Array.from({ length: count ?? 0 }, () => 'number')]);
  }
});

test('one number is changed and the rest stays', () => {
  expect(withValue({ hours: [24, 48, 72], a: 1 }, 'hours.1', 50)).toEqual({ hours: [24, 50, 72], a: 1 });
});
