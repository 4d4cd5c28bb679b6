import { YES_NO, type Locale, type Text } from '@hes/contract/core/text.ts';
import type { TopologyNode, TopologyPicture } from '@hes/contract/network/topology.ts';
import { SIGNAL_TEXT } from '@hes/contract/states/signal.ts';
import { STATION_LINK_TEXT, STATION_ROLE_TEXT } from '@hes/contract/states/topology.ts';
import type { Translate } from '#core/i18n/use-messages.ts';
import { sheetOf, type SheetColumn } from '#kit/table/sheet.ts';
import { downloadCsv, saveFile } from '#core/files/download-csv.ts';
import type { texts } from './messages.ts';

const xml = (text: string): string => text.replaceAll(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const FIELDS = ['sn', 'role', 'level', 'phase', 'link', 'signal', 'signalValue', 'signalUnit', 'upPct', 'downPct', 'onlineSince'] as const;

/** GraphML file: stations with their properties, links from child to parent. */
export function graphmlOf({ sn, nodes }: Pick<TopologyPicture, 'sn' | 'nodes'>): string {
  const keys = FIELDS.map((field) => `<key id="${field}" for="node" attr.name="${field}" attr.type="string"/>`);
  const data = (node: TopologyNode) => FIELDS.map((field) => `<data key="${field}">${xml(String(node[field] ?? ''))}</data>`).join('');
  const online = nodes.filter((node) => node.isOnline);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ...keys,
    `<graph id="${xml(sn)}" edgedefault="directed">`,
    `<node id="root"><data key="sn">${xml(sn)}</data><data key="role">cco</data></node>`,
    ...online.map((node) => `<node id="${xml(node.mac)}">${data(node)}</node>`),
    ...online.map((node) => `<edge source="${xml(node.mac)}" target="${xml(node.parentMac ?? 'root')}"/>`),
    '</graph>',
    '</graphml>',
  ].join('\n');
}

export function saveGraphml(picture: TopologyPicture): void {
  saveFile(`topology-${picture.sn}.graphml`, new Blob([graphmlOf(picture)], { type: 'application/xml' }));
}

/** The texts of the screen, in the user's language. */
export interface Words {
  t: Translate<typeof texts>;
  say: (text: Text) => string;
  locale: Locale;
}

type Picture = Pick<TopologyPicture, 'sn' | 'nodes'>;

/** The values of a station in both files, as in the inspector. */
function columnsOf({ sn, nodes }: Picture, { t, say }: Words) {
  const snOf = new Map(nodes.map((node) => [node.mac, node.sn]));
  const parentOf = ({ parentMac }: TopologyNode) => (parentMac === null ? sn : (snOf.get(parentMac) ?? parentMac));
  const signalIn = (unit: TopologyNode['signalUnit']) => (node: TopologyNode) => (node.signalUnit === unit ? node.signalValue : null);
  return {
    sn: { title: t('meterSn'), value: (node) => node.sn },
    mac: { title: t('mac'), value: (node) => node.mac },
    tei: { title: t('tei'), value: (node) => node.nodeId },
    parent: { title: t('parent'), value: parentOf },
    role: { title: t('role'), value: (node) => say(STATION_ROLE_TEXT[node.role]) },
    level: { title: t('level'), value: (node) => node.level },
    phase: { title: t('phase'), value: (node) => t(node.phase) },
    link: { title: t('link'), value: (node) => say(STATION_LINK_TEXT[node.link]) },
    online: { title: t('online'), value: (node) => say(YES_NO[`${node.isOnline}`]) },
    signal: { title: t('signal'), value: (node) => say(SIGNAL_TEXT[node.signal]) },
    snr: { title: 'SNR', unit: 'dB', value: signalIn('dB') },
    rssi: { title: 'RSSI', unit: 'dBm', value: signalIn('dBm') },
    up: { title: t('up'), unit: '%', value: (node) => node.upPct },
    down: { title: t('down'), unit: '%', value: (node) => node.downPct },
    onlineSince: { title: t('onlineSince'), time: (node) => node.onlineSince },
    lastSeen: { title: t('lastSeen'), time: (node) => node.lastSeenAt },
    lastComm: { title: t('lastComm'), time: (node) => node.lastCommAt },
    longitude: { title: t('longitude'), unit: '°', value: (node) => node.longitude },
    latitude: { title: t('latitude'), unit: '°', value: (node) => node.latitude },
  } satisfies Record<string, SheetColumn<TopologyNode>>;
}

/** All stations with all their properties. */
export function stationSheet(picture: Picture, words: Words): unknown[][] {
  const { lastComm: _lastComm, longitude: _longitude, latitude: _latitude, ...columns } = columnsOf(picture, words);
  return sheetOf(Object.values(columns), picture.nodes, words.locale);
}

/** Stations that need a visit: those with a weak signal, and offline ones. */
export const weakOf = (nodes: readonly TopologyNode[]): TopologyNode[] =>
  nodes.filter((node) => !node.isOnline || node.signal === 'poor' || node.signal === 'fail' || node.signal === 'no_signal');

/** A worklist for a field crew: station, location, signal, and its parent. */
export function workSheet(picture: Picture, words: Words): unknown[][] {
  const { sn, mac, phase, level, online, signal, snr, rssi, parent, lastComm, longitude, latitude } = columnsOf(picture, words);
  const columns = [sn, mac, phase, level, online, signal, snr, rssi, parent, lastComm, longitude, latitude];
  return sheetOf(columns, weakOf(picture.nodes), words.locale);
}

export const saveCsv = (picture: TopologyPicture, words: Words): void =>
  downloadCsv(`topology-${picture.sn}`, stationSheet(picture, words));

export const saveWorkList = (picture: TopologyPicture, words: Words): void =>
  downloadCsv(`weak-stations-${picture.sn}`, workSheet(picture, words));

/** Saves the current drawing with its background. */
export function savePng({ sn }: Pick<TopologyPicture, 'sn'>): void {
  const drawn = document.querySelector<HTMLCanvasElement>('[data-testid="topology-canvas"]');
  if (!drawn) return;
  const copy = document.createElement('canvas');
  copy.width = drawn.width;
  copy.height = drawn.height;
  const to = copy.getContext('2d');
  if (!to) return;
  to.fillStyle = getComputedStyle(drawn).getPropertyValue('--surface');
  to.fillRect(0, 0, copy.width, copy.height);
  to.drawImage(drawn, 0, 0);
  copy.toBlob((blob) => blob && saveFile(`topology-${sn}.png`, blob), 'image/png');
}
