import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { settingKey } from '@hes/contract/manager/setting.ts';
import { expect, test } from 'vitest';
import { fieldsOf, valueOf, valuesAt } from './fields.ts';

test('every number of every setting has a field', () => {
  for (const key of settingKey.options) {
    if (fieldsOf(key).length === 0) continue;
    const { value } = SETTINGS[key];
    const count = JSON.stringify(value).match(/-?\d+(\.\d+)?/g)?.length;
    const typed = Object.values(valuesAt(key, value)).map((one) => typeof one);
    expect([key, typed]).toEqual([key, Array.from({ length: count ?? 0 }, () => 'number')]);
  }
});

test('one value is changed and the rest stays', () => {
  expect(valueOf({ key: 'freshness', value: { hours: [24, 48, 72] } }, { 'hours.0': 24, 'hours.1': 50, 'hours.2': 72 })).toEqual({
    hours: [24, 50, 72],
  });
  for (const key of settingKey.options) {
    const { value } = SETTINGS[key];
    expect(valueOf({ key, value }, valuesAt(key, value))).toEqual(value);
  }
});
