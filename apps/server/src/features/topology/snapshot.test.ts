import { expect, it } from 'vitest';
import { packStations, stationIn, unpackStations, type StoredStation } from './snapshot.ts';

const station = (mac: string, parentMac: string | null): StoredStation => ({
  mac,
  nodeId: 2,
  sn: `SN${mac}`,
  parentMac,
  level: 1,
  role: 'sta',
  phase: 'a',
  link: 'plc',
  signalValue: -7,
  upPct: 90,
  downPct: 80,
  onlineSince: null,
});

it('one station is found among those whose parent it is', () => {
  const all = [station('AA', 'BB'), station('BB', null)];
  const packed = packStations(all);
  expect(unpackStations(packed)).toEqual(all);
  expect([stationIn(packed, 'BB'), stationIn(packed, 'CC')]).toEqual([all[1], undefined]);
});
