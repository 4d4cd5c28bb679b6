import type { MeterQuirk } from '@hes/contract/asset/meter-type.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { expect, test } from 'vitest';
import { NO_QUIRKS, rangesOf, timeSelection, withheldServices } from './quirks.ts';

const AT = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const quirksOf = (...quirks: MeterQuirk[]) => new Set(quirks);

test('services that a model lacks are not proposed', () => {
  expect(withheldServices(NO_QUIRKS)).toEqual([]);
  expect(withheldServices(quirksOf('no_block_get', 'ldn_short', 'single_attribute_only'))).toEqual([
    'blockTransferGet',
    'multipleReferences',
  ]);
});

test('rows are selected by times with deviation, or without one for models that refuse it', () => {
  const [from, to] = [fromEpochMs(AT, -60), fromEpochMs(AT + MINUTE_MS, -60)];
  const range = { from: AT, to: AT + MINUTE_MS };
  expect(timeSelection({ quirks: NO_QUIRKS }, range, -60)).toEqual(rangeSelection({ from, to }));
  expect(timeSelection({ quirks: quirksOf('range_without_deviation') }, range, -60)).toEqual(
    rangeSelection({ from: { ...from, deviationMinutes: null }, to: { ...to, deviationMinutes: null } }),
  );
});

test('the rows of one request to a meter without block transfer fit one APDU, and no second is left out', () => {
  const size = { rowOctets: 100, rowMs: MINUTE_MS };
  const range = { from: AT, to: AT + 5 * MINUTE_MS };
  expect(rangesOf({ quirks: NO_QUIRKS, maxPduSize: 264 }, range, size)).toEqual([range]);
  const quirks = quirksOf('no_block_get');
  expect(rangesOf({ quirks, maxPduSize: 264 }, range, size)).toEqual([
    { from: AT, to: AT + 2 * MINUTE_MS - 1_000 },
    { from: AT + 2 * MINUTE_MS, to: AT + 4 * MINUTE_MS - 1_000 },
    { from: AT + 4 * MINUTE_MS, to: AT + 5 * MINUTE_MS },
  ]);
  expect(rangesOf({ quirks, maxPduSize: 263 }, range, size)).toHaveLength(6);
  expect(rangesOf({ quirks, maxPduSize: 20 }, range, size), 'at least one row').toHaveLength(6);
  expect(rangesOf({ quirks, maxPduSize: 264 }, { from: AT, to: AT }, size)).toEqual([{ from: AT, to: AT }]);
});
