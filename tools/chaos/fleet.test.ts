import { expect, test } from 'vitest';
import { strikesDirectMeters } from './direct.ts';
import { FAULTS } from './faults.ts';
import { drawTargets, fleetOf, neighbourOf } from './fleet.ts';

const isOfDirect = (name: string): boolean => FAULTS[name] !== undefined && strikesDirectMeters(FAULTS[name]);

test('meters that are crossed with neighbours of different kinds are behind different DCUs', () => {
  const fleet = fleetOf(1, { scale: '16x8', direct: 32 });
  const dcuOf = (sn: string) => fleet.meters.find((meter) => meter.sn === sn)?.dcu;
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed);
    const [ciphered, plain] = ['crossed', 'crossed-plain'].map(
      (name) => draws.find((draw) => draw.name === name)?.targets.map(dcuOf) ?? [],
    );
    expect(ciphered).toHaveLength(2);
    expect(plain).toHaveLength(1);
    expect(ciphered).not.toContain(plain?.[0]);
  }
});

test('a meter of another stack has no other fault, in neither wave', () => {
  const fleet = fleetOf(1, { scale: '16x8', direct: 32 });
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed);
    const [foreign] = draws.find((draw) => draw.name === 'foreign-meter')?.targets ?? [];
    expect(draws.filter(({ targets }) => targets.includes(foreign ?? ''))).toHaveLength(1);
  }
});

test('the neighbour of a crossed meter has no fault of its own, and every fault has all its targets', () => {
  const fleet = fleetOf(1, { scale: '16x8', direct: 32 });
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed);
    const ofWave = draws.filter(({ spec }) => spec.wave === 2);
    const crossed = ofWave.filter(({ name }) => name.startsWith('crossed'));
    const neighbours = crossed.flatMap(({ targets }) => targets.map((sn) => neighbourOf(fleet, sn)));
    expect(neighbours).toHaveLength(3);
    expect(ofWave.flatMap(({ targets }) => targets).filter((sn) => neighbours.includes(sn))).toEqual([]);
    const meterFaults = draws.filter(({ spec: { trouble } }) => trouble.of === 'meter' || trouble.of === 'place');
    expect(meterFaults.filter(({ targets }) => targets.length === 0).map(({ name }) => name)).toEqual([]);
  }
});

test.each([['16x8'], ['4x8']])('meters with endless responses are behind different DCUs of a fleet of %s', (scale) => {
  const fleet = fleetOf(1, { scale, direct: 0 });
  const names = ['endless-blocks', 'endless-small-blocks', 'endless-octets'];
  for (let seed = 1; seed <= 50; seed++) {
    const targets = drawTargets(names, fleet, seed).flatMap((draw) => draw.targets);
    const dcus = targets.map((target) => fleet.meters.find(({ sn }) => sn === target)?.dcu ?? target);
    expect(new Set(dcus).size).toBe(3);
  }
});

test('each fault of a connection, of a meter or of its record strikes a direct meter of its own in each wave', () => {
  const fleet = fleetOf(1, { scale: '16x8', direct: 32 });
  const direct = new Set(fleet.meters.filter(({ isDirect }) => isDirect).map(({ sn }) => sn));
  expect(direct.size).toBe(32);
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed).filter(({ targets }) => targets.every((sn) => direct.has(sn)));
    const ofDirect = draws.filter(({ spec }) => strikesDirectMeters(spec));
    expect(ofDirect.map(({ name }) => name).toSorted()).toEqual(
      Object.keys(FAULTS)
        .filter((name) => isOfDirect(name))
        .toSorted(),
    );
    for (const wave of [1, 2]) {
      const targets = ofDirect.filter(({ spec }) => spec.wave === wave).flatMap((draw) => draw.targets);
      expect(new Set(targets).size).toBe(ofDirect.filter(({ spec }) => spec.wave === wave).length);
    }
  }
});

test('some faults of each wave strike a direct meter that speaks HDLC, and in some seeds every one of them does', () => {
  const fleet = fleetOf(1, { scale: '16x8', direct: 32 });
  const hdlc = new Set(fleet.meters.filter(({ isHdlc }) => isHdlc).map(({ sn }) => sn));
  expect(hdlc.size).toBe(8);
  const struck = new Set<string>();
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed).filter(({ targets }) => targets.some((sn) => hdlc.has(sn)));
    expect(new Set(draws.map(({ spec }) => spec.wave))).toEqual(new Set([1, 2]));
    for (const { name } of draws) struck.add(name);
  }
  expect([...struck].toSorted()).toEqual(
    Object.keys(FAULTS)
      .filter((name) => isOfDirect(name))
      .toSorted(),
  );
});

test('faults of direct meters leave DCUs and their meters alone if only direct meters are to have any', () => {
  const fleet = fleetOf(1, { scale: '1x4', direct: 32 });
  const draws = drawTargets(Object.keys(FAULTS), fleet, 1, true);
  const isDirect = (target: string) => fleet.meters.some((meter) => meter.isDirect && meter.sn === target);
  expect(draws.flatMap(({ targets }) => targets).filter((target) => !isDirect(target))).toEqual([]);
  expect(draws.map(({ name }) => name)).toContain('kill-server');
});
