import { DCU_PARAMETERS } from '@hes/contract/action/dcu-parameter.ts';
import { expect, it } from 'vitest';
import { setAsCsv, setFrom } from './parameter-set.ts';

const SET = { heartbeat_s: '120', name: 'Mill, "old" 7', site: '=1+1' };

it('a set of parameters goes to a spreadsheet and comes back', () => {
  const known = new Set(DCU_PARAMETERS.map(({ key }) => key));
  expect(Object.keys(SET).every((key) => known.has(key))).toBe(true);
  const csv = setAsCsv(SET, ({ en }) => en);
  expect(csv).toContain('heartbeat_s,120,Heartbeat,s');
  expect(setFrom(csv)).toEqual(SET);
  expect(setFrom(csv.replaceAll('heartbeat_s,120', 'heartbeat_s;90'))).toMatchObject({ heartbeat_s: '90' });
  expect(setFrom(JSON.stringify(SET))).toEqual(SET);
});

it('invalid parameter values are left out', () => {
  expect(setFrom('key,value\nheartbeat_s,5\nmoon,1\nhardware,2\nheartbeat_s')).toEqual({});
  expect(() => setFrom('{')).toThrow();
});
