import type { DcuOnlineStatus } from '../states/device.ts';
import type { Cause } from './cause.ts';
import type { DcuFacts } from './dcu-status.ts';

/** DCUs that cannot be reached, or of which that is not known. */
export const offlineAmong = (dcus: readonly { onlineStatus: DcuOnlineStatus }[]): number =>
  dcus.filter(({ onlineStatus }) => onlineStatus !== 'online').length;

/** More connections in a day mean that the line breaks again and again. */
const FLAPPING = 10;
const isWeak = ({ uplink }: DcuFacts): boolean => uplink?.signal === 'poor' || uplink?.signal === 'fail';

/** Causes for the state of a DCU, those that explain others first. */
export const DCU_CAUSES = {
  never_connected: {
    health: 'bad',
    applies: ({ onlineStatus }) => onlineStatus === 'never',
    sentence: { en: 'The DCU has never connected.', zh: '集中器从未连接。' },
    todo: { en: 'Follow its connection step by step.', zh: '按步骤完成其接入。' },
    evidence: ['connections'],
    actions: ['connect'],
  },
  offline: {
    health: 'bad',
    applies: ({ onlineStatus, since }) => onlineStatus === 'offline' && since !== null,
    values: ({ since }) => ({ sinceAt: since ?? '' }),
    sentence: {
      en: 'The DCU has been offline since {sinceAt}; its meters cannot be read.',
      zh: '集中器自 {sinceAt} 起离线，其下电表无法抄读。',
    },
    todo: {
      en: 'Check power, SIM card, antenna and network on site. Readings are fetched afterwards without an order.',
      zh: '现场检查电源、SIM 卡、天线和网络。恢复后自动补召。',
    },
    evidence: ['connections'],
    actions: ['log', 'connect'],
  },
  offline_undated: {
    health: 'bad',
    applies: ({ onlineStatus, since }) => onlineStatus === 'offline' && since === null,
    sentence: { en: 'The DCU is offline; since when is not stored.', zh: '集中器离线，起始时间无记录。' },
    todo: {
      en: 'Check power, SIM card, antenna and network on site. Readings are fetched afterwards without an order.',
      zh: '现场检查电源、SIM 卡、天线和网络。恢复后自动补召。',
    },
    evidence: ['connections'],
    actions: ['log', 'connect'],
  },
  unconfirmed: {
    health: 'unknown',
    applies: ({ onlineStatus }) => onlineStatus === 'unknown',
    sentence: {
      en: 'The DCU was connected before the head-end restarted and has not connected again yet.',
      zh: '主站重启前集中器在线，重启后尚未重新连接。',
    },
    todo: { en: 'Wait for its next heartbeat.', zh: '等待其下一次心跳。' },
    evidence: ['connections'],
    actions: ['log'],
  },
  flapping: {
    health: 'attention',
    applies: ({ connections }) => connections >= FLAPPING,
    values: ({ connections }) => ({ count: connections }),
    sentence: {
      en: 'The connection was set up {count} times within 24 hours: the line breaks again and again.',
      zh: '24小时内建立连接 {count} 次：线路反复中断。',
    },
    todo: {
      en: 'Look at the reasons of the disconnections in the timeline, and at the signal of the modem.',
      zh: '查看时间线中的断开原因和模块信号。',
    },
    evidence: ['connections'],
    actions: ['log'],
  },
  weak_uplink: {
    health: 'attention',
    applies: isWeak,
    values: ({ uplink }) => ({ dbm: uplink?.signalDbm ?? '—' }),
    sentence: { en: 'The cellular signal of the modem is weak ({dbm} dBm).', zh: '模块蜂窝信号弱（{dbm} dBm）。' },
    todo: { en: 'Move the antenna, or use another operator.', zh: '调整天线位置或更换运营商。' },
    evidence: ['connections'],
    actions: ['asset'],
  },
  many_silent: {
    health: 'bad',
    applies: ({ onlineStatus, silent, meters }) => onlineStatus === 'online' && meters >= 4 && silent * 2 > meters,
    values: ({ silent, meters }) => ({ silent, meters }),
    sentence: {
      en: '{silent} of {meters} meters have not communicated for a day although the DCU is online.',
      zh: '集中器在线，但 {meters} 只电表中有 {silent} 只超过一天无通信。',
    },
    todo: { en: 'Check its network and archive; a route module may have failed.', zh: '检查其网络和档案；路由模块可能故障。' },
    evidence: ['meters', 'network'],
    actions: ['route', 'archives'],
  },
  some_silent: {
    health: 'attention',
    applies: ({ onlineStatus, silent, meters }) => onlineStatus === 'online' && silent > 0 && (meters < 4 || silent * 2 <= meters),
    values: ({ silent, meters }) => ({ silent, meters }),
    sentence: { en: '{silent} of {meters} meters have not communicated for a day.', zh: '{meters} 只电表中有 {silent} 只超过一天无通信。' },
    todo: { en: 'Open these meters below; each says why.', zh: '打开下列电表查看各自原因。' },
    evidence: ['meters'],
    actions: ['route'],
  },
  archive_differs: {
    health: 'attention',
    applies: ({ archive }) => (archive?.differs ?? 0) > 0,
    values: ({ archive }) => ({ count: archive?.differs ?? 0 }),
    sentence: { en: '{count} {count|entry|entries} of its archive differ from the head-end.', zh: '档案中有 {count} 条与主站不一致。' },
    todo: { en: 'Compare and dispatch the archive.', zh: '比对并下发档案。' },
    evidence: ['meters'],
    actions: ['archives'],
  },
  clock_wrong: {
    health: 'attention',
    applies: ({ clock }) => clock !== null && ['set', 'confirm', 'invalid'].includes(clock.class),
    values: ({ clock }) => ({ seconds: clock?.deviationMs == null ? '—' : Math.round(clock.deviationMs / 1000) }),
    sentence: {
      en: 'The clock of the DCU deviates ({seconds} s), and it passes the time on to its meters.',
      zh: '集中器时钟有偏差（{seconds} 秒），并会下传给电表。',
    },
    todo: { en: 'Synchronize its clock.', zh: '执行校时。' },
    evidence: ['clock'],
    actions: ['clock'],
  },
  no_transformer: {
    health: 'attention',
    applies: ({ transformer }) => transformer === null,
    sentence: {
      en: 'The DCU belongs to no transformer, so users of an area do not see it.',
      zh: '集中器未归属变压器，按区域授权的用户看不到它。',
    },
    todo: { en: 'Bind it to its transformer.', zh: '绑定所属变压器。' },
    evidence: ['identity'],
    actions: ['asset'],
  },
} as const satisfies Record<string, Cause<DcuFacts>>;
export type DcuCause = keyof typeof DCU_CAUSES;
