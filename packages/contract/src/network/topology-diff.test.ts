import { expect, it } from 'vitest';
import { diffTopology, type ComparedNode } from './topology-diff.ts';

const node = (mac: string, parentMac: string | null, level: number): ComparedNode => ({
  mac,
  sn: `SN${mac}`,
  parentMac,
  level,
  isOnline: true,
});
// b and c are children of a, d of b; e has no relation to them.
const before = [node('a', null, 1), node('b', 'a', 2), node('c', 'a', 2), node('d', 'b', 3), node('e', null, 1)];

it('equal networks have no difference', () => {
  expect(diffTopology(before, before)).toEqual({ joined: [], left: [], moved: [], broke: [] });
});

it('names the relay whose failure disconnected others, the stations lost with it, and those that found another route', () => {
  const after = [node('c', 'e', 2), node('e', null, 1), node('f', 'e', 2)];
  const diff = diffTopology(before, after);
  expect(diff.joined).toEqual(['SNf']);
  expect(diff.left).toEqual(['SNa', 'SNb', 'SNd']);
  expect(diff.moved).toEqual([{ sn: 'SNc', mac: 'c', from: 'SNa', to: 'SNe', levelBefore: 2, levelAfter: 2 }]);
  expect(diff.broke).toEqual([{ relayMac: 'a', relaySn: 'SNa', lostSns: ['SNb', 'SNd'], rescuedSns: ['SNc'] }]);
});

it('an offline station counts as missing, and a cycle of parents does not loop', () => {
  const circle = [node('x', 'y', 2), node('y', 'x', 2)];
  expect(diffTopology(circle, []).left).toEqual(['SNx', 'SNy']);
  expect(
    diffTopology(
      before,
      before.map((one) => (one.mac === 'e' ? { ...one, isOnline: false } : one)),
    ).left,
  ).toEqual(['SNe']);
});
