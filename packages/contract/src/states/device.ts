import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** `unknown`: connected when the head-end stopped, and still within the heartbeat tolerance after the restart. */
export const DCU_ONLINE_STATUSES = ['online', 'offline', 'unknown', 'never'] as const;
export const dcuOnlineStatus = z.enum(DCU_ONLINE_STATUSES);
export type DcuOnlineStatus = z.infer<typeof dcuOnlineStatus>;

export const INVENTORY_STATES = ['in_warehouse', 'installed', 'active'] as const;
export const inventoryState = z.enum(INVENTORY_STATES);
export type InventoryState = z.infer<typeof inventoryState>;

/** `direct`: the meter has a connection of its own; the others are read through a DCU. */
export const COMMUNICATION_MODES = ['plc', 'rf', 'direct'] as const;
export const communicationMode = z.enum(COMMUNICATION_MODES);
export type CommunicationMode = z.infer<typeof communicationMode>;
export const METER_PHASES = ['1p2w', '3p3w', '3p4w'] as const;
export const meterPhase = z.enum(METER_PHASES);
export type MeterPhase = z.infer<typeof meterPhase>;
export const RELAY_STATES = ['connected', 'disconnected', 'ready', 'unknown'] as const;
export const relayState = z.enum(RELAY_STATES);
export type RelayState = z.infer<typeof relayState>;
export const RECORDED_PHASES = ['a', 'b', 'c', 'abc', 'unknown'] as const;
export const recordedPhase = z.enum(RECORDED_PHASES);
export type RecordedPhase = z.infer<typeof recordedPhase>;
export const CONNECTION_TYPES = ['dial_in', 'dial_out'] as const;
export const connectionType = z.enum(CONNECTION_TYPES);
export type ConnectionType = z.infer<typeof connectionType>;
export const communicateType = z.enum(['g2', 'g3', 'g4', 'nb_iot', 'ethernet', 'fibre']);
export type CommunicateType = z.infer<typeof communicateType>;
export const dataChannel = z.enum(['plc', 'rf', 'plc_rf', 'rs485']);
export type DataChannel = z.infer<typeof dataChannel>;
export const dcuProtocol = z.enum(['dlms_wrapper', 'dlms_hdlc']);
export type DcuProtocol = z.infer<typeof dcuProtocol>;
export const authenticationType = z.enum(['none', 'low', 'high', 'hls_md5', 'hls_sha1', 'hls_gmac', 'hls_sha256', 'hls_ecdsa']);
export type AuthenticationType = z.infer<typeof authenticationType>;
/** Whether services are authenticated and encrypted. `by_mechanism`: after GMAC and ECDSA, but not after other mechanisms. */
export const ciphering = z.enum(['by_mechanism', 'always', 'never']);
export type Ciphering = z.infer<typeof ciphering>;
/** Key of ciphered services. `none`: the stored keys. Otherwise general-ciphering with a key that both sides derive for each APDU. */
export const keyAgreement = z.enum(['none', 'one_pass', 'static']);
export type KeyAgreement = z.infer<typeof keyAgreement>;

/** How the association with a meter comes about: by an association request, or it exists from the start (Green Book 9.4). */
export const association = z.enum(['negotiated', 'pre_established']);
export type Association = z.infer<typeof association>;
/** Secrets that the head-end can store for associations with a device. */
export type SecretName = 'password' | 'masterKey' | 'ek' | 'ak';

/** Age of the last communication, by default `[0,24h)`, `[24,48)`, `[48,72)`, `≥72h`, never. @spec seed §4 */
export const FRESHNESS_CLASSES = ['h24', 'h24_48', 'h48_72', 'over72', 'none'] as const;
export const freshness = z.enum(FRESHNESS_CLASSES);
export type Freshness = z.infer<typeof freshness>;

const HOUR_MS = 3_600_000;

/** Lower bounds of the next worse classes in hours: the setting `freshness`. */
export type FreshnessHours = readonly [number, number, number];
export const FRESHNESS_HOURS: FreshnessHours = [24, 48, 72];

export function freshnessOf(lastCommAt: string | Date | null, now: number, limits: FreshnessHours = FRESHNESS_HOURS): Freshness {
  if (lastCommAt === null) return 'none';
  const hours = (now - new Date(lastCommAt).getTime()) / HOUR_MS;
  if (hours < limits[0]) return 'h24';
  if (hours < limits[1]) return 'h24_48';
  return hours < limits[2] ? 'h48_72' : 'over72';
}

/** Reasons for the end of a DCU connection. */
export const closeReason = z.enum([
  'peer_closed',
  'socket_error',
  'identification_timeout',
  'not_dlms',
  'bad_proxy_header',
  'frame_timeout',
  'heartbeat_lost',
  'replaced',
  'unregistered',
  'unproved',
  'too_many_connections',
  'unreachable',
  'server_stopped',
  'handed_over',
  'reconfigured',
]);
export type CloseReason = z.infer<typeof closeReason>;

export const CLOSE_REASON_TEXT: Record<CloseReason, Text> = {
  peer_closed: { en: 'Closed by the DCU', zh: '集中器关闭连接' },
  socket_error: { en: 'Connection broke', zh: '连接中断' },
  identification_timeout: { en: 'Connected without identification', zh: '连接后未上报身份' },
  not_dlms: { en: 'Sent bytes that are not DLMS', zh: '收到非DLMS数据' },
  bad_proxy_header: { en: 'Wrong PROXY header', zh: 'PROXY报头错误' },
  frame_timeout: { en: 'Incomplete frame', zh: '报文未完整接收' },
  heartbeat_lost: { en: 'Heartbeat lost', zh: '心跳丢失' },
  replaced: { en: 'The same DCU connected again', zh: '同一集中器重新连接' },
  unregistered: { en: 'Not registered: on hold', zh: '未登记，已挂起' },
  unproved: { en: 'Authentication as this DCU failed', zh: '未能证明是该集中器' },
  too_many_connections: { en: 'Too many connections from one address', zh: '同一地址连接过多' },
  unreachable: { en: 'Could not be reached', zh: '无法拨通' },
  server_stopped: { en: 'The head-end was stopped', zh: '主站停止' },
  handed_over: { en: 'Handed over to another head-end', zh: '移交给其他主站节点' },
  reconfigured: { en: 'Its connection settings were changed', zh: '连接参数已修改' },
};
