import { expect, test } from 'vitest';
import { addCatalogue, fill, inEveryLanguage, joinTexts, nameText, pick, say } from './text.ts';

test('a sentence takes its parameters, groups numbers and chooses one or many', () => {
  const text = { en: '{count} {count|meter|meters} of {name}', zh: '{name}的 {count} 块电表' };
  expect(say(text, 'en-US', { count: 1, name: 'T1' })).toBe('1 meter of T1');
  expect(say(text, 'en-US', { count: 1236, name: 'T1' })).toBe('1,236 meters of T1');
  expect(say(text, 'zh-CN', { count: 2, name: 'T1' })).toBe('T1的 2 块电表');
});

test('a missing parameter stays visible', () => {
  expect(say({ en: 'Run {id}', zh: '任务 {id}' }, 'en-US')).toBe('Run {id}');
});

test('a text carries its parameters, and those that are texts follow the language', () => {
  const phase = { en: 'phase A', zh: 'A相' };
  const text = fill({ en: 'recorded {phase}, {count} times', zh: '档案为{phase}，{count}次' }, { phase, count: 2 });
  expect(inEveryLanguage(joinTexts([text, nameText('T1')], { en: '; ', zh: '；' }))).toMatchObject({
    en: 'recorded phase A, 2 times; T1',
    zh: '档案为A相，2次；T1',
  });
});

test('a translation is found by the English text, or by both where one English text has several Chinese ones', () => {
  addCatalogue('es', { Period: { 账期: 'Período', 范围: 'Intervalo' }, 'read {at}': 'leído {at}' });
  expect(say({ en: 'Period', zh: '范围' }, 'es-ES')).toBe('Intervalo');
  expect(say({ en: 'read {at}', zh: '{at} 抄读' }, 'es-ES', { at: '10:00' })).toBe('leído 10:00');
  expect(pick({ en: 'Unknown to it', zh: '未知' }, 'es-ES')).toBe('Unknown to it');
  expect(pick({ en: 'constructor', zh: '构造' }, 'es-ES')).toBe('constructor');
});

test('a name is neither translated nor filled', () => {
  addCatalogue('es', { Period: 'Período' });
  expect(say(nameText('Period'), 'es-ES')).toBe('Period');
  expect(say(nameText('{count|a|b} of {x}'), 'en-US')).toBe('{count|a|b} of {x}');
});
