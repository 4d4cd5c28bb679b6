import type { TopologyNode, TopologyPicture } from '@hes/contract/network/topology.ts';
import { downloadCsv, saveFile } from '#shared/ui/download-csv.ts';

const xml = (text: string): string => text.replaceAll(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const FIELDS = ['sn', 'role', 'level', 'phase', 'link', 'signal', 'signalValue', 'upPct', 'downPct', 'onlineSince'] as const;

/** A graph as other programs read it: stations with what is known of them, links from child to parent. */
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

export function saveCsv({ sn, nodes }: TopologyPicture): void {
  const snOf = new Map(nodes.map((node) => [node.mac, node.sn]));
  const head = [
    'sn',
    'mac',
    'short_address',
    'parent',
    'role',
    'level',
    'phase',
    'link',
    'signal',
    'signal_db',
    'up_percent',
    'down_percent',
    'online',
    'online_since',
    'last_seen',
  ];
  const rows = nodes.map((node) => [
    node.sn,
    node.mac,
    node.nodeId,
    node.parentMac === null ? sn : (snOf.get(node.parentMac) ?? node.parentMac),
    node.role,
    node.level,
    node.phase,
    node.link,
    node.signal,
    node.signalValue,
    node.upPct,
    node.downPct,
    node.isOnline ? 1 : 0,
    node.onlineSince,
    node.lastSeenAt,
  ]);
  downloadCsv(`topology-${sn}`, [head, ...rows]);
}

/** Stations somebody should visit: those that hardly hear, and those that are gone. */
export const weakOf = (nodes: readonly TopologyNode[]): TopologyNode[] =>
  nodes.filter((node) => !node.isOnline || node.signal === 'poor' || node.signal === 'fail' || node.signal === 'no_signal');

/** A list for a crew: who, where, how badly, and through whom. */
export function saveWorkList({ sn, nodes }: TopologyPicture): void {
  const snOf = new Map(nodes.map((node) => [node.mac, node.sn]));
  const head = ['sn', 'mac', 'phase', 'level', 'online', 'signal', 'signal_db', 'parent', 'last_communication', 'longitude', 'latitude'];
  const rows = weakOf(nodes).map((node) => [
    node.sn,
    node.mac,
    node.phase,
    node.level,
    node.isOnline ? 1 : 0,
    node.signal,
    node.signalValue,
    node.parentMac === null ? sn : (snOf.get(node.parentMac) ?? node.parentMac),
    node.lastCommAt,
    node.longitude,
    node.latitude,
  ]);
  downloadCsv(`weak-stations-${sn}`, [head, ...rows]);
}

/** What is drawn right now, with its ground. */
export function savePng({ sn }: Pick<TopologyPicture, 'sn'>): void {
  const drawn = document.querySelector<HTMLCanvasElement>('[data-testid="topology-canvas"]');
  if (!drawn) return;
  const copy = document.createElement('canvas');
  copy.width = drawn.width;
  copy.height = drawn.height;
  const to = copy.getContext('2d');
  if (!to) return;
  to.fillStyle = getComputedStyle(drawn).getPropertyValue('--panel');
  to.fillRect(0, 0, copy.width, copy.height);
  to.drawImage(drawn, 0, 0);
  copy.toBlob((blob) => blob && saveFile(`topology-${sn}.png`, blob), 'image/png');
}
