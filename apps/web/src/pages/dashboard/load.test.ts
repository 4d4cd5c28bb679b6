import { expect, test } from 'vitest';
import { loadNow } from './load.ts';

test('the load of now is the newest slot that has a value, against the same slot of yesterday', () => {
  expect(loadNow([100, 110, null, null], [80, 100, 90, 90])).toEqual({ kw: 110, time: '00:15', change: 0.1 });
  expect(loadNow([null], [1])).toBeUndefined();
});
