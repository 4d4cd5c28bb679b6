import { anomalyType } from '@hes/contract/states/anomaly.ts';
import { freshness } from '@hes/contract/states/device.ts';
import { taskItemState } from '@hes/contract/task/task.ts';
import { cleanup, render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { ANOMALY, ANOMALY_ORDER } from './anomaly-tables.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import { SIGNAL_BARS } from '#domain/topology/signs.ts';
import { UPGRADE } from '#domain/upgrade-state/upgrade-tables.ts';
import { LEVEL } from './event-tables.ts';
import { lossSignOf } from './loss.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { bindSign, dispatchSign, DISTRIBUTION, FRESHNESS, FRESHNESS_ORDER, INVENTORY, ITEM, ITEM_ORDER, QUALITY } from './tables.ts';
import { counted, type Sign } from '#kit/state/sign.ts';

test('each class of freshness has a distinct shape, so that colour is not needed', () => {
  const shapes = FRESHNESS_ORDER.map((key) => FRESHNESS[key].shape);
  expect(FRESHNESS_ORDER).toEqual(freshness.options);
  expect(new Set(shapes).size).toBe(shapes.length);
});

test('the colour of a loss follows the bounds that are set', () => {
  const tonesOf = (bounds: [number, number, number]) => [-1, 2, 5, 8, 11].map((percent) => lossSignOf(percent, bounds).tone);
  expect(tonesOf([3, 7, 12])).toEqual(['violet', 'ok', 'ok', 'amber', 'amber']);
  expect(tonesOf([1, 4, 8])).toEqual(['violet', 'ok', 'amber', 'amber', 'red']);
  expect(lossSignOf(null, [3, 7, 12]).tone).toBe('none');
});

test('a device that never communicated is grey, because nothing broke', () => {
  expect(FRESHNESS.none.tone).toBe('none');
});

test('S-298 S-299 S-300 S-301: waiting, reading, success and fail differ by shape', () => {
  const four = (['waiting', 'reading', 'read_success', 'read_fail'] as const).map((state) => ITEM[state].shape);
  expect(new Set(four).size).toBe(4);
  expect([...ITEM_ORDER].filter((state) => state !== 'unknown').toSorted()).toEqual(taskItemState.options.toSorted());
});

test.each(FRESHNESS_ORDER)('freshness %s shows its glyph and its word', (key) => {
  const { container } = render(<StateOf sign={FRESHNESS[key]} />);
  expect(container.querySelector('svg')?.dataset['shape']).toBe(FRESHNESS[key].shape);
  expect(container.textContent).toBe(FRESHNESS[key].text.en);
});

test.each([
  ['S-334', 'normal', 'Normal'],
  ['S-335', 'upper_limit', 'Upper limit'],
  ['S-336', 'lower_limit', 'Lower limit'],
  ['S-337', 'sudden_increase', 'Sudden increase'],
  ['S-338', 'sudden_decrease', 'Sudden decrease'],
  ['S-339', 'reverse_electricity', 'Reverse electricity'],
] as const)('%s: %s reads %s', (_statement, key, text) => {
  usePreferences.setState({ locale: 'en-US' });
  const { container } = render(<StateOf sign={ANOMALY[key]} />);
  expect(container.textContent).toBe(text);
  cleanup();
});

test('kinds of anomaly differ by shape, and only the normal one is quiet', () => {
  expect([...ANOMALY_ORDER].toSorted()).toEqual(anomalyType.options.toSorted());
  expect(new Set(ANOMALY_ORDER.map((key) => ANOMALY[key].shape)).size).toBe(ANOMALY_ORDER.length);
  expect(ANOMALY_ORDER.filter((key) => ANOMALY[key].quiet)).toEqual(['normal']);
});

const PAIRS = (['bound', 'not_bound'] as const).flatMap((bind) =>
  (['distributed', 'not_distributed'] as const).map((dispatch) => [bind, dispatch] as const),
);
const { none: _, ...levels } = LEVEL;
const SETS: Record<string, Sign[]> = {
  freshness: Object.values(FRESHNESS),
  reading: Object.values(ITEM),
  quality: Object.values(QUALITY),
  anomaly: Object.values(ANOMALY),
  level: Object.values(levels),
  inventory: Object.values(INVENTORY),
  distribution: Object.values(DISTRIBUTION),
  'bind and dispatch': PAIRS.flatMap((pair) => [bindSign(...pair), dispatchSign(...pair)]),
  upgrade: Object.values(UPGRADE),
};

test.each(Object.entries(SETS))('every state of %s shows a shape and its word, in both languages', (_set, signs) => {
  for (const locale of ['en-US', 'zh-CN'] as const) {
    usePreferences.setState({ locale });
    for (const sign of signs) {
      const { container } = render(<StateOf sign={sign} />);
      expect(container.querySelector('svg')?.dataset['shape']).toBe(sign.shape);
      expect(container.textContent).toBe(locale === 'zh-CN' ? sign.text.zh : sign.text.en);
      cleanup();
    }
  }
});

test('states with the same shape in a set have different texts, and the four of an archive differ by their two shapes', () => {
  for (const signs of Object.values(SETS))
    for (const locale of ['en', 'zh'] as const) {
      const words = new Set(signs.map(({ text }) => text[locale]));
      expect(words.size).toBe(signs === SETS['bind and dispatch'] ? 4 : signs.length);
    }
  expect(new Set(PAIRS.map((pair) => `${bindSign(...pair).shape} ${dispatchSign(...pair).shape}`)).size).toBe(4);
  expect(new Set(Object.values(SIGNAL_BARS)).size).toBe(6);
});

test('a state with count 0 is grey and keeps its shape; with another or an unknown count it has its colour', () => {
  const { over72 } = FRESHNESS;
  expect(counted(over72, 0)).toMatchObject({ shape: over72.shape, tone: 'none', text: over72.text });
  expect(counted(over72, 1)).toBe(over72);
  expect(counted(over72, undefined)).toBe(over72);
});
