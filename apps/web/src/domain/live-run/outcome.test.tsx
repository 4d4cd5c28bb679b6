import { taskKind } from '@hes/contract/orders/every-order.ts';
import { LOCALES, say } from '@hes/contract/core/text.ts';
import { itemText } from '@hes/contract/task/words.ts';
import { RUN_ITEM_STATES } from '@hes/contract/task/run-state.ts';
import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { useMessages } from '#core/i18n/use-messages.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { itemSign } from '#domain/states/tables.ts';
import { outcomeParts } from './outcome.ts';
import { texts } from './texts.ts';

const partsIn = (locale: (typeof LOCALES)[number], run: Parameters<typeof outcomeParts>[1]) => {
  usePreferences.setState({ locale });
  const { result, unmount } = renderHook(() => useMessages(texts));
  const parts = outcomeParts(result.current, run);
  unmount();
  return parts;
};

test('a run that ended with failures is finished, and never done', () => {
  const run = { done: 1, total: 1, failed: 1, unknown: 0 };
  expect(partsIn('en-US', run)).toEqual(['1 of 1 finished', '1 failed']);
  expect(partsIn('zh-CN', run)).toEqual(['已结束 1/1', '失败 1']);
  expect(partsIn('en-US', { done: 3, total: 4, failed: 0, unknown: 0 })).toEqual(['3 of 4 finished', 'no failures']);
});

test('an unknown outcome is counted apart from failures', () => {
  expect(partsIn('en-US', { done: 4, total: 4, failed: 3, unknown: 2 })).toEqual(['4 of 4 finished', '1 failed', '2 unknown']);
  expect(partsIn('en-US', { done: 1, total: 1, failed: 1, unknown: 1 })).toEqual(['1 of 1 finished', '1 unknown']);
});

test('every state of an item of every kind of task has a sign with the words of its order', () => {
  for (const kind of taskKind.options)
    for (const state of RUN_ITEM_STATES) {
      const sign = itemSign({ kind }, state);
      for (const locale of LOCALES) expect(say(sign.text, locale)).toBe(say(itemText({ kind }, state), locale));
      expect(sign.shape).not.toBe('');
    }
});
