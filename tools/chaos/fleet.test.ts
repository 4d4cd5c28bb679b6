import { expect, test } from 'vitest';
import { FAULTS } from './faults.ts';
import { drawTargets, fleetOf, neighbourOf } from './fleet.ts';

test('meters that are crossed with neighbours of different kinds are behind different DCUs', () => {
  const fleet = fleetOf(1, '16x8');
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
  const fleet = fleetOf(1, '16x8');
  for (let seed = 1; seed <= 50; seed++) {
    const draws = drawTargets(Object.keys(FAULTS), fleet, seed);
    const [foreign] = draws.find((draw) => draw.name === 'foreign-meter')?.targets ?? [];
    expect(draws.filter(({ targets }) => targets.includes(foreign ?? ''))).toHaveLength(1);
  }
});

test('the neighbour of a crossed meter has no fault of its own, and every fault has all its targets', () => {
  const fleet = fleetOf(1, '16x8');
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
  const fleet = fleetOf(1, scale);
  const names = ['endless-blocks', 'endless-small-blocks', 'endless-octets'];
  for (let seed = 1; seed <= 50; seed++) {
    const targets = drawTargets(names, fleet, seed).flatMap((draw) => draw.targets);
    const dcus = targets.map((target) => fleet.meters.find(({ sn }) => sn === target)?.dcu ?? target);
    expect(new Set(dcus).size).toBe(3);
  }
});
