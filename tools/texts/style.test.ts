import { expect, test } from 'vitest';
import { capitalIn, styleFaults } from './style.ts';

const text = (en: string, file = 'apps/web/src/pages/a/messages.ts') => ({ en, zh: '文', files: [file] });
const faultsOf = (...texts: ReturnType<typeof text>[]) =>
  styleFaults(process.cwd(), texts).map(({ en, fault }) => `${en}: ${fault.split(':')[0]}`);

test('a text is in sentence case', () => {
  expect(faultsOf(text('Add Meter'), text('Add meter'), text('DCU type'), text('Failed. Try again'))).toEqual([
    'Add Meter: is not in sentence case',
  ]);
});

test('what the specification quotes, names and mentioned labels keep their capitals', () => {
  const labels = new Set(['History']);
  expect(faultsOf(text('Please Select Node!'), text('Over Voltage L1', 'apps/server/src/db/seed/event-codes.ts'))).toEqual([]);
  expect(capitalIn('too many frames; see History', labels, [])).toBeUndefined();
  expect(capitalIn('Open Auto Meter Reading', labels, ['Auto Meter Reading'])).toBeUndefined();
  expect(capitalIn('Show History', labels, [])).toBe('History');
});

test('words of the review and other spellings are refused', () => {
  expect(
    faultsOf(
      text('Stopped by itself'),
      text('Nobody has called'),
      text('Synchronise clocks'),
      text('End at once'),
      text('At most 20 meters at once'),
    ),
  ).toHaveLength(4);
});

test('the texts of the product are in its style', () => {
  expect(styleFaults(process.cwd())).toEqual([]);
});
