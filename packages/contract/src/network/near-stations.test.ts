import { expect, it } from 'vitest';
import { nearStations } from './near-stations.ts';

const station = (mac: string, parentMac: string | null) => ({ mac, parentMac });
// a and e are children of the DCU, b and c of a, d of b.
const stations = [station('a', null), station('b', 'a'), station('c', 'a'), station('d', 'b'), station('e', null)];
const near = (mac: string) => nearStations(stations, stations.find((one) => one.mac === mac) ?? station('', '')).map((one) => one.mac);

it('the neighbours of a station are its parent, its children and its siblings', () => {
  expect(near('b')).toEqual(['a', 'd', 'c']);
  expect(near('a')).toEqual(['b', 'c', 'e']);
  expect(near('d')).toEqual(['b']);
});
