import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { MeterWall, type WallGroup } from './meter-wall.tsx';

const OF = { kind: 'registers' };
const ignore = () => undefined;
afterEach(cleanup);

const show = (groups: WallGroup[], selected?: string) => (
  <MeterWall label="Wall" of={OF} groups={groups} selected={selected} onSelect={ignore} />
);

/** A DCU whose cells count how often they are drawn. */
function counted(dcuId: string, ids: string[]) {
  const drawn = { times: 0 };
  const cells = ids.map((id) => ({
    id,
    meterSn: id,
    state: 'waiting' as const,
    get word() {
      drawn.times++;
      return undefined as never; // read as absent
    },
  }));
  return { group: { dcuId, dcuSn: dcuId, transformerName: null, cells } satisfies WallGroup, drawn };
}

test('a result draws the cells of its own DCU again, and of no other', () => {
  const [near, far] = [counted('1', ['a', 'b']), counted('2', ['c', 'd'])];
  const { rerender } = render(show([near.group, far.group]));
  const before = far.drawn.times;
  const [first, ...rest] = near.group.cells;
  rerender(show([{ ...near.group, cells: [{ ...first, id: 'a', meterSn: 'a', state: 'read_success' }, ...rest] }, far.group]));
  expect(screen.getByRole('button', { name: /^a / }).dataset['state']).toBe('read_success');
  expect(far.drawn.times).toBe(before);
});

test('each DCU is one tab stop: its selected cell, or its first', () => {
  render(show([counted('1', ['a', 'b']).group, counted('2', ['c', 'd']).group], 'b'));
  const stops = screen.getAllByRole('button').filter(({ tabIndex }) => tabIndex === 0);
  expect(stops.map(({ title }) => title.split(' ')[0])).toEqual(['b', 'c']);
});
