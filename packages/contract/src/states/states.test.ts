import { inEveryLanguage, say, type Text } from '../core/text.ts';
import { describe, expect, test } from 'vitest';
import { freshnessOf } from './device.ts';
import { FRESHNESS_TEXT, freshnessText } from '../text/device-text.ts';
import { DICTIONARY } from '../text/dictionary.ts';
import { SETTINGS } from '../setting/settings.ts';
import { signalOf } from './signal.ts';

const HOUR_MS = 3_600_000;

describe('communication freshness', () => {
  test.each([
    ['S-323', 0, 'h24'],
    ['S-323', 23.9, 'h24'],
    ['S-324', 24, 'h24_48'],
    ['S-325', 48, 'h48_72'],
    ['S-326', 72, 'over72'],
  ])('%s: %d hours ago is %s', (_, hours, wanted) => {
    expect(freshnessOf(new Date(0), hours * HOUR_MS)).toBe(wanted);
  });

  test('S-327: never heard is no communication', () => {
    expect(freshnessOf(null, 0)).toBe('none');
  });

  test('has the labels of the specification, and others for other bounds only', () => {
    expect(Object.values(FRESHNESS_TEXT).map((text) => say(text, 'en-US'))).toEqual([
      'Past 24 hours',
      '24-48 hours',
      '48-72 hours',
      'Over 72 hours',
      'No communication',
    ]);
    expect(inEveryLanguage(freshnessText([6, 12, 24]).h24_48)).toMatchObject({ en: '6-12 hours', zh: '6-12小时' });
  });
});

describe('signal strength', () => {
  const { value } = SETTINGS.signal;
  test.each([
    ['S-328', 25, 'outstanding'],
    ['S-330', 24.9, 'excellent'],
    ['S-329', 12, 'good'],
    ['S-332', 6, 'poor'],
    ['S-331', 5.9, 'fail'],
    ['S-333', null, 'no_signal'],
  ])('%s: of %s dB over the power line is %s', (_, snr, wanted) => {
    expect(signalOf(snr, value.plcSnrDb)).toBe(wanted);
  });

  test.each([
    ['S-328', 25, 'outstanding', 'excellent'],
    ['S-330', 18, 'excellent', 'good'],
    ['S-329', 12, 'good', 'poor'],
    ['S-332', 6, 'poor', 'fail'],
  ])('%s: %s dB is the lowest signal that is %s, below it is %s', (_, lowest, wanted, below) => {
    expect([signalOf(lowest, value.plcSnrDb), signalOf(lowest - 0.1, value.plcSnrDb)]).toEqual([wanted, below]);
  });

  test('of -75 dBm by radio is excellent', () => {
    expect(signalOf(-75, value.rfRssiDbm)).toBe('excellent');
  });
});

test.each(Object.entries(SETTINGS))('the default of the setting %s keeps its own rule', (_key, { schema, value }) => {
  expect(schema.safeParse(value).success).toBe(true);
});

test.each(Object.entries(DICTIONARY))('the words of %s have a label in both languages, each its own', (_set, words) => {
  const texts = Object.values<Text>(words).map(inEveryLanguage);
  for (const { en, zh } of texts) expect([en.trim() === en && en !== '', zh.trim() === zh && zh !== '']).toEqual([true, true]);
  expect(new Set(texts.map(({ en }) => en)).size).toBe(texts.length);
  expect(new Set(texts.map(({ zh }) => zh)).size).toBe(texts.length);
});
