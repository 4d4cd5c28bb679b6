import { otherRegisters } from '@hes/contract/asset/meter.ts';
import { expect, test } from 'vitest';
import { shownOf, sumsOff } from './exchange-registers.tsx';

const reading = { at: '2026-09-06T00:00:00Z', plus: 100, others: otherRegisters.parse({ plusT1: 60, minus: 4 }) };

test('read values fill the fields until the user types, and a cleared field stays empty', () => {
  expect(shownOf({ plus: undefined, others: {} }, reading, 0)).toMatchObject({ plus: 100, others: { plusT1: 60, plusT2: null, minus: 4 } });
  const typed = shownOf({ plus: 101, others: { plusT1: null, plusT2: 41 } }, reading, 0);
  expect(typed).toMatchObject({ plus: 101, others: { plusT1: null, plusT2: 41, minus: 4 } });
  expect(shownOf({ plus: undefined, others: {} }, null, 0).plus).toBe(0);
  expect(shownOf({ plus: null, others: {} }, null, 0).plus).toBeNull();
});

test('tariffs that do not add up are reported once all of a direction are known, and rounding is tolerated', () => {
  const others = (fields: object) => otherRegisters.parse(fields);
  expect(sumsOff({ plus: 100, others: others({ plusT1: 10 }) })).toEqual([]);
  expect(sumsOff({ plus: 100.09, others: others({ plusT1: 40, plusT2: 30, plusT3: 20, plusT4: 10 }) })).toEqual([]);
  expect(sumsOff({ plus: 101, others: others({ plusT1: 40, plusT2: 30, plusT3: 20, plusT4: 10 }) })).toEqual([
    { direction: 'plus', sum: 100, total: 101 },
  ]);
  expect(sumsOff({ plus: 1, others: others({ minus: 5, minusT1: 0, minusT2: 0, minusT3: 0, minusT4: 0 }) })).toEqual([
    { direction: 'minus', sum: 0, total: 5 },
  ]);
});
