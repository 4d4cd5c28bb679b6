import { expect, test } from 'vitest';
import { isClean, judge } from './judge.ts';
import type { Got } from './receiver.ts';

const AT = '2026-11-28T00:00:00.000Z';
const item = (id: string, slots: string[] = []): Got => ({ kind: 'readings', id, meter: 'MN0001', slots });
const truth = { announced: new Set(['readings 1-0', 'readings 2-0', 'readings 10-0']), slots: new Set([`MN0001 ${AT}`]) };

test('a consumer that holds each item, some of them again, is clean', () => {
  const verdict = judge(truth, [item('1-0', [AT]), item('2-0'), item('1-0', [AT]), item('2-0'), item('10-0')]);
  expect(verdict).toMatchObject({ held: 3, repeated: 2, missing: 0, invented: 0, outOfOrder: 0 });
  expect(isClean(verdict)).toBe(true);
});

test('an item that is missing, invented or out of order is told', () => {
  expect(judge(truth, [item('1-0', [AT]), item('10-0')])).toMatchObject({ missing: 1, examples: ['missing readings 2-0'] });
  expect(judge(truth, [item('1-0', [AT]), item('2-0'), item('10-0'), item('11-0')])).toMatchObject({ invented: 1 });
  expect(judge(truth, [item('1-0', [AT]), item('10-0'), item('2-0')])).toMatchObject({ outOfOrder: 1 });
});

test('a slot that is stored and in no item is told, although its announcement is missing as well', () => {
  expect(judge({ ...truth, announced: new Set() }, [])).toMatchObject({ missing: 0, missingSlots: 1 });
});
