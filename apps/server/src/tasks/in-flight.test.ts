import { expect, test } from 'vitest';
import { InFlight } from './in-flight.ts';

test('an item is in flight from its claim to its result; one that was claimed twice until both results', () => {
  const inFlight = new InFlight();
  inFlight.add(['1', '2']);
  inFlight.add(['1']);
  expect([inFlight.size, inFlight.ids]).toEqual([2, ['1', '2']]);
  inFlight.remove(['1', '2']);
  expect([inFlight.size, inFlight.ids]).toEqual([1, ['1']]);
  inFlight.remove(['1', '1', '3']);
  expect(inFlight.size).toBe(0);
  inFlight.add(['1']);
  expect(inFlight.ids).toEqual(['1']);
});
