import { expect, it } from 'vitest';
import { decode } from '../codec/codec.ts';
import { dataCodec } from '../cosem/data.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import { entrySelection, rangeSelection, type Selection } from '../cosem/selective-access.ts';
import { obis } from '../cosem/obis.ts';
import { demoProfile, energyAt } from './demo-profile.ts';

const START = Date.UTC(2026, 5, 15, 12, 7);
const QUARTER_MS = 900_000;
const LAST = Date.UTC(2026, 5, 15, 12);

function rowsOf(selection?: Selection): unknown[][] {
  const answer = demoProfile(START, 1).read(2, selection);
  const buffer = answer instanceof Uint8Array ? decode(dataCodec, answer) : undefined;
  if (buffer?.type !== 'array') throw new Error(`No buffer: ${String(answer)}`);
  return [...buffer.value].map((row) =>
    row.type === 'structure' ? [...row.value].map((cell) => ('value' in cell ? cell.value : null)) : [],
  );
}

it('returns the rows and columns of an entry selection', () => {
  expect(rowsOf()).toHaveLength(96);
  const [row] = rowsOf();
  expect(row).toHaveLength(3);
  const energies = [93, 94, 95].map((at) => energyAt(LAST - (95 - at) * QUARTER_MS));
  expect(rowsOf(entrySelection({ fromEntry: 94, toEntry: 0, fromColumn: 3, toColumn: 3 }))).toEqual(energies.map((energy) => [energy]));
  expect(rowsOf(entrySelection({ fromEntry: 94, toEntry: 94, fromColumn: 2 }))).toEqual([[0, energies[0]]]);
});

it('returns the columns of a range selection', () => {
  const columns = [{ classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 }];
  const range = rangeSelection({ from: fromEpochMs(LAST - QUARTER_MS, 0), to: fromEpochMs(LAST, 0), columns });
  expect(rowsOf(range)).toEqual([[energyAt(LAST - QUARTER_MS)], [energyAt(LAST)]]);
});
