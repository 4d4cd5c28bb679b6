import { expect, test } from 'vitest';
import { meterSn } from '../../packages/contract/src/asset/meter.ts';
import { deviceKeys, systemTitle } from '../../packages/contract/src/asset/device.ts';
import { cellName, metersOf, PEERS } from './matrix.ts';
import { peerMeters, settingsOf } from './peer-meters.ts';

const NOW = Date.UTC(2026, 0, 5);
const all = () => peerMeters(PEERS, () => true, NOW);

test('no two cells have the same name, and every peer has cells of every service that it can do', () => {
  const names = PEERS.flatMap((peer) => metersOf(peer).flatMap((meter) => meter.services.map((service) => cellName(meter, service))));
  expect(new Set(names).size).toBe(names.length);
  for (const peer of PEERS) {
    const services = metersOf(peer).flatMap((meter) => meter.services);
    expect(new Set(services)).toEqual(new Set(peer.services));
  }
});

test('a chosen cell keeps its meter and serial number, and leaves out the other services', () => {
  const [one] = all();
  if (one === undefined) throw new Error('There are meters');
  const cell = cellName(one, 'set');
  expect(peerMeters(PEERS, (name) => name === cell, NOW)).toMatchObject([{ sn: one.sn, services: ['set'] }]);
});

test('identities and keys are different for each meter, and forms accept them', () => {
  const meters = all();
  for (const field of ['sn', 'name', 'title', 'ek', 'ak', 'password', 'energy'] as const)
    expect(new Set(meters.map((meter) => meter[field])).size, field).toBe(meters.length);
  for (const { sn, name, title, ek, ak, password } of meters) {
    expect(meterSn.parse(sn)).toBe(sn);
    expect(name).toHaveLength(16);
    expect(systemTitle.parse(title)).toBe(title);
    expect(() => deviceKeys.parse({ ek, ak, password })).not.toThrow();
  }
});

test('a peer behind a gateway is told to serve the wrapper, whichever framing the gateway has', () => {
  const meters = all();
  const settings = settingsOf(meters, () => new Uint8Array(64));
  for (const [index, { topology, framing }] of meters.entries())
    expect(settings[index]?.framing).toBe(topology === 'direct' ? framing : 'wrapper');
});
