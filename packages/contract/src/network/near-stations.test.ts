import { expect, it } from 'vitest';
import { nearStations } from './near-stations.ts';

const station = (mac: string, parentMac: string | null) => ({ mac, parentMac });
// a and e hang on the DCU; a carries b and c; b carries d.
const stations = [station('a', null), station('b', 'a'), station('c', 'a'), station('d', 'b'), station('e', null)];
const near = (mac: string) => nearStations(stations, stations.find((one) => one.mac === mac) ?? station('', '')).map((one) => one.mac);

it('beside a station stand its parent, those behind it, and the others of its parent', () => {
  expect(near('b')).toEqual(['a', 'd', 'c']);
  expect(near('a')).toEqual(['b', 'c', 'e']);
  expect(near('d')).toEqual(['b']);
});
