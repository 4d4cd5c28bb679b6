import { expect, test } from 'vitest';
import { logoVariant } from './public-settings.ts';

const rule = { marker: 'acme', address: '10.0.0.7' };

test.each([
  ['S-044 S-045', 'hes.acme.example', 'a'],
  ['S-046', '10.0.0.7', 'a'],
  ['S-047', '10.0.0.70', 'b'],
] as const)('%s: %s shows logo %s', (_, host, variant) => {
  expect(logoVariant(rule, host)).toBe(variant);
});

test('an empty rule matches no host', () => {
  expect(logoVariant({ marker: '', address: '' }, 'anything')).toBe('b');
});
