import { expect, it } from 'vitest';
import { diffTopology, type ComparedNode } from './topology-diff.ts';

const node = (mac: string, parentMac: string | null, level: number): ComparedNode => ({
  mac,
  sn: `SN${mac}`,
  parentMac,
  level,
  isOnline: true,
});
// a carries b and c; b carries d; e stands alone.
const before = [node('a', null, 1), node('b', 'a', 2), node('c', 'a', 2), node('d', 'b', 3), node('e', null, 1)];

it('the same network twice is no difference', () => {
  expect(diffTopology(before, before)).toEqual({ joined: [], left: [], moved: [], broke: [] });
});

it('names the relay whose end cut off others, who is lost with it, and who found another way', () => {
  const after = [node('c', 'e', 2), node('e', null, 1), node('f', 'e', 2)];
  const diff = diffTopology(before, after);
  expect(diff.joined).toEqual(['SNf']);
  expect(diff.left).toEqual(['SNa', 'SNb', 'SNd']);
  expect(diff.moved).toEqual([{ sn: 'SNc', mac: 'c', from: 'SNa', to: 'SNe', levelBefore: 2, levelAfter: 2 }]);
  expect(diff.broke).toEqual([{ relayMac: 'a', relaySn: 'SNa', lostSns: ['SNb', 'SNd'], rescuedSns: ['SNc'] }]);
});

it('a station that is offline counts as gone, and a circle of parents ends', () => {
  const circle = [node('x', 'y', 2), node('y', 'x', 2)];
  expect(diffTopology(circle, []).left).toEqual(['SNx', 'SNy']);
  expect(
    diffTopology(
      before,
      before.map((one) => (one.mac === 'e' ? { ...one, isOnline: false } : one)),
    ).left,
  ).toEqual(['SNe']);
});
