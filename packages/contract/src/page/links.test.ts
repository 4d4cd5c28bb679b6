import { expect, test } from 'vitest';
import { isNodeKey, nodeKey } from '../asset/tree.ts';
import { isRunPage, PAGE_WORDS, to, wordsIn } from './links.ts';
import { PAGE_NAMES, PAGE_PATH, pageNameOf } from './paths.ts';

const queryOf = (address: string) => new URLSearchParams(address.split('?')[1] ?? '');

test('an address has its words in the order of the declaration, without undefined ones', () => {
  expect(to.readings({ view: 'chart', to: '2026-03-02', tab: 'lpa', node: undefined, from: '2026-03-01' })).toBe(
    '/meter/auto-meter-reading?tab=lpa&from=2026-03-01&to=2026-03-02&view=chart',
  );
  expect(to.readings()).toBe('/meter/auto-meter-reading');
});

test.each(['a&b=c', '1+1', '50 %', '#1', 'DCU?x', '变压器', 'a/b', '"\'<'])('the text %s passes through an address unchanged', (text) => {
  const address = to.dcus({ search: text, node: 'transformer:7' });
  expect(wordsIn(PAGE_WORDS.dcus, queryOf(address))).toEqual({ search: text, node: 'transformer:7' });
});

test('words that are empty, invalid or unknown are left out', () => {
  const query = new URLSearchParams('tab=weekly&node=house:1&view=&from=2026-03-01&other=1');
  expect(wordsIn(PAGE_WORDS.readings, query)).toEqual({ from: '2026-03-01' });
});

test.each(['transformer:7', 'dcu:', 'dcu:x', 'house:1', 'meter:12345678901234567890', ' level:1', 'level:1 ', 'level:1\n'])(
  'addresses and calls agree whether %j is a node key',
  (text) => expect(isNodeKey(text)).toBe(nodeKey.safeParse(text).success),
);

test('each page has one name', () => {
  expect(PAGE_NAMES.map((name) => pageNameOf(PAGE_PATH[name]))).toEqual(PAGE_NAMES);
});

test('pages that show a run take its id', () => {
  expect([isRunPage('clocks'), isRunPage('suppliers')]).toEqual([true, false]);
  expect(to.clocks({ task: '7' })).toBe('/action/clock-synchronization?task=7');
});

test('a wrong page or word does not compile', () => {
  // @ts-expect-error: no such page
  expect(() => to.bill({})).toThrow(TypeError);
  // @ts-expect-error: the page of suppliers does not read `task`
  expect(to.suppliers({ task: '1' })).toBe('/assets/supplier-management');
  // @ts-expect-error: no such tab
  expect(to.bills({ tab: 'houses' })).toContain('houses');
});
