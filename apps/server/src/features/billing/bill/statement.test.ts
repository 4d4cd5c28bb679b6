import { expect, it } from 'vitest';
import { chargesOf } from './statement.ts';

const none = { plusT1: null, plusT2: null, plusT3: null, plusT4: null, minusT1: null, minusT2: null, minusT3: null, minusT4: null };
const byTariff = { plus: [0.9, 0.7, 0.5, 0.3], minus: [0.4, 0.4, 0.4, 0.4] };

it('states the cost of each tariff, and omits directions without energy', () => {
  const line = { ...none, plus: 10, minus: 0, plusT1: 6, plusT2: 4, plusT3: 0, plusT4: 0, minusT1: 0 };
  expect(chargesOf(line, byTariff)).toEqual([
    { direction: 'plus', tariff: 1, kwh: 6, price: 0.9 },
    { direction: 'plus', tariff: 2, kwh: 4, price: 0.7 },
    { direction: 'plus', tariff: 3, kwh: 0, price: 0.5 },
    { direction: 'plus', tariff: 4, kwh: 0, price: 0.3 },
  ]);
});

it('bills the total where all tariffs cost the same', () => {
  const line = { ...none, plus: 10, minus: 2, plusT1: 6, plusT2: 4, minusT1: 2 };
  expect(chargesOf(line, byTariff).filter(({ direction }) => direction === 'minus')).toEqual([
    { direction: 'minus', tariff: null, kwh: 2, price: 0.4 },
  ]);
});

it('has no price for a meter without tariffs where they do not cost the same', () => {
  const line = { ...none, plus: 10, minus: 2 };
  expect(chargesOf(line, byTariff)).toEqual([
    { direction: 'plus', tariff: null, kwh: 10, price: undefined },
    { direction: 'minus', tariff: null, kwh: 2, price: 0.4 },
  ]);
  expect(chargesOf({ ...line, plus: null }, undefined)).toEqual([{ direction: 'minus', tariff: null, kwh: 2, price: undefined }]);
});
