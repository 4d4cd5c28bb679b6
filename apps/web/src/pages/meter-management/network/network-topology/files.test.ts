import { say, type Locale, type TextParams } from '@hes/contract/core/text.ts';
import type { TopologyNode } from '@hes/contract/network/topology.ts';
import { beforeEach, expect, test } from 'vitest';
import { useServerTime } from '#core/time/format.ts';
import { graphmlOf, stationSheet, workSheet, type Words } from './files.ts';
import { texts } from './messages.ts';

const wordsIn = (locale: Locale): Words => ({
  t: (key, ...[params]: [params?: TextParams]) => say(texts[key], locale, params),
  say: (text) => say(text, locale),
  locale,
});

const line: TopologyNode = {
  mac: 'A1',
  nodeId: 2,
  sn: '260100010001',
  meterId: '1',
  parentMac: null,
  level: 1,
  role: 'pco',
  phase: 'b',
  link: 'plc',
  signalValue: 21,
  signalUnit: 'dB',
  signal: 'good',
  upPct: 97,
  downPct: 95,
  onlineSince: '2026-11-24T07:31:28.600Z',
  lastSeenAt: '2026-11-25T00:00:00.000Z',
  isOnline: true,
  lastCommAt: null,
  freshness: 'none',
  softwareVersion: null,
  longitude: 121.5,
  latitude: 31.25,
};
const radio: TopologyNode = {
  ...line,
  mac: 'A2',
  sn: '260100010002',
  parentMac: 'A1',
  level: 2,
  role: 'sta',
  link: 'rf',
  signalValue: -104,
  signalUnit: 'dBm',
  signal: 'poor',
  upPct: null,
  downPct: null,
  onlineSince: null,
  isOnline: false,
};
const picture = { sn: 'DCU27000001', nodes: [line, radio] };
/** A row of a sheet by the headings of the first row. */
const rowOf = ([head = [], ...rows]: unknown[][], at: number) => Object.fromEntries(head.map((name, place) => [name, rows[at]?.[place]]));

beforeEach(() => useServerTime.setState({ timeZone: 'Asia/Kathmandu' }));

test('the file of a network has the words, units and local times of the screen', () => {
  expect(rowOf(stationSheet(picture, wordsIn('en-US')), 0)).toEqual({
    'Meter SN': '260100010001',
    MAC: 'A1',
    'Short address': 2,
    Parent: 'DCU27000001',
    Role: 'Proxy coordinator',
    Level: 1,
    Phase: 'L2',
    Link: 'Power line',
    Online: 'Yes',
    'Signal strength': 'Good',
    'SNR (dB)': 21,
    'RSSI (dBm)': null,
    'Up success (%)': 97,
    'Down success (%)': 95,
    'Online since': '2026-11-24 13:16:28',
    'Online since (UTC offset)': '+05:45',
    'Last seen': '2026-11-25 05:45:00',
    'Last seen (UTC offset)': '+05:45',
  });
});

test('a signal of radio stands in dBm, never under the unit of a power line', () => {
  const row = rowOf(stationSheet(picture, wordsIn('en-US')), 1);
  expect([row['SNR (dB)'], row['RSSI (dBm)'], row['Up success (%)']]).toEqual([null, -104, null]);
  const heard = { ...picture, nodes: [{ ...radio, isOnline: true }] };
  expect(graphmlOf(heard)).toContain('<data key="signalValue">-104</data><data key="signalUnit">dBm</data>');
});

test('a work list holds the weak stations, in the language of the user', () => {
  const [head, ...rows] = workSheet(picture, wordsIn('zh-CN'));
  expect(rows).toHaveLength(1);
  expect(rowOf([head ?? [], ...rows], 0)).toMatchObject({
    电表编号: '260100010002',
    相别: 'B相',
    在线: '否',
    信号强度: '差',
    'RSSI (dBm)': -104,
    父节点: '260100010001',
    最近通信: null,
    '最近通信（UTC偏移）': null,
    '经度 (°)': 121.5,
  });
});
