import { expect, test } from 'vitest';
import { say } from './text.ts';

test('a sentence takes its parameters, groups numbers and chooses one or many', () => {
  const text = { en: '{count} {count|meter|meters} of {name}', zh: '{name}的 {count} 块电表' };
  expect(say(text, 'en-US', { count: 1, name: 'T1' })).toBe('1 meter of T1');
  expect(say(text, 'en-US', { count: 1236, name: 'T1' })).toBe('1,236 meters of T1');
  expect(say(text, 'zh-CN', { count: 2, name: 'T1' })).toBe('T1的 2 块电表');
});

test('a missing parameter stays visible', () => {
  expect(say({ en: 'Run {id}', zh: '任务 {id}' }, 'en-US')).toBe('Run {id}');
});
