import { expect, test } from 'vitest';
import { LOCALES, inEveryLanguage, say } from '../core/text.ts';
import { RUN_ITEM_STATES } from './run-state.ts';
import type { Order } from '../orders/define-order.ts';
import { KINDS, ORDERS } from '../orders/every-order.ts';
import { itemText, runItemStateOf, runStateOf, taskName, wordsOf } from './words.ts';

const READING_WORDS = /\bread(ing)?\b|抄读/i;
/** Kinds that change something, for which the words of a reading would be wrong. */
const CHANGES = KINDS.filter((kind) => ORDERS[kind].changesDevice || ORDERS[kind].target === 'server');

const ALL_WORDS = KINDS.flatMap((kind) => {
  const { words, modes }: Order = ORDERS[kind];
  return [words, ...Object.values(modes ?? {}).map((mode) => mode.words)];
});

test('every kind of task has a name and words for each state, in both languages', () => {
  for (const kind of KINDS)
    for (const locale of LOCALES) {
      const { name, waiting, running, succeeded, failed } = wordsOf({ kind });
      const words = [waiting, running, succeeded, failed].map((text) => say(text, locale));
      expect(say(name, locale), kind).not.toBe('');
      expect(words, kind).not.toContain('');
      expect(new Set(words).size, `${kind}: states of the same word`).toBe(words.length);
      for (const state of RUN_ITEM_STATES) expect(say(itemText({ kind }, state), locale), `${kind} ${state}`).not.toBe('');
    }
});

test('two kinds of task never have the same name', () => {
  for (const locale of LOCALES) {
    const names = [...ALL_WORDS].map(({ name }) => say(name, locale));
    expect(new Set(names).size).toBe(names.length);
  }
});

test('S-298 S-299 S-300 S-301: a reading says waiting, reading, read success and read fail', () => {
  expect((['waiting', 'reading', 'read_success', 'read_fail'] as const).map((state) => itemText({ kind: 'registers' }, state))).toEqual([
    { en: 'Waiting', zh: '等待中' },
    { en: 'Reading', zh: '抄读中' },
    { en: 'Read success', zh: '抄读成功' },
    { en: 'Read fail', zh: '抄读失败' },
  ]);
});

test('an order that changes something is never said to be a reading', () => {
  expect(CHANGES.length).toBeGreaterThan(15);
  for (const kind of CHANGES)
    for (const state of RUN_ITEM_STATES)
      for (const locale of LOCALES) {
        const word = say(itemText({ kind }, state), locale).replace('confirmed by read-back', '');
        expect(word, `${kind} ${state}`).not.toMatch(READING_WORDS);
      }
});

test('a disconnection whose outcome nothing confirmed is unknown, and neither done nor failed', () => {
  expect(itemText({ kind: 'relay_disconnect' }, 'read_success')).toEqual({
    en: 'Disconnected, confirmed by read-back',
    zh: '已拉闸，回读确认',
  });
  expect(runItemStateOf({ state: 'read_fail', reasonCode: 'RELAY_UNKNOWN' })).toBe('unknown');
  expect(runItemStateOf({ state: 'read_fail', reasonCode: 'RELAY_NOT_SWITCHED' })).toBe('read_fail');
  expect(runStateOf({ state: 'failed', failed: 1, unknown: 1 })).toBe('unknown');
  expect(runStateOf({ state: 'partly_failed', failed: 2, unknown: 1 })).toBe('partly_failed');
  expect(runStateOf({ state: 'failed', failed: 1, unknown: 0 })).toBe('failed');
  expect(runStateOf({ state: 'running', failed: 1, unknown: 1 })).toBe('running');
});

test('what changes an archive is called by what it does', () => {
  const done = (mode: string) => itemText({ kind: 'archive_dispatch', params: { mode } }, 'read_success').en;
  expect(done('dispatch')).toBe('Dispatched, confirmed by read-back');
  expect(done('delete')).toBe('Deleted, confirmed by read-back');
  expect(done('clear')).toBe('Cleared, confirmed by read-back');
});

test('a task of a plan, a type or a period is called by its kind and by that', () => {
  expect(inEveryLanguage(taskName({ kind: 'collect', title: 'Night' }))).toMatchObject({
    en: 'Scheduled collection: Night',
    zh: '定时采集：Night',
  });
  expect(taskName({ kind: 'relay_disconnect', title: 'Relay disconnection' })).toEqual({ en: 'Disconnection', zh: '拉闸' });
  expect(taskName({ kind: 'of_a_later_version', title: '' })).toEqual({ en: 'Task', zh: '任务' });
});
