import { z } from 'zod';
import { fill, type Text } from '../core/text.ts';

export const PARAMETER_GROUPS = ['identity', 'uplink', 'time', 'security', 'network', 'collection', 'events', 'debug'] as const;
export type ParameterGroup = (typeof PARAMETER_GROUPS)[number];

export const parameterState = z.enum(['unknown', 'in_sync', 'differs', 'writing', 'written', 'failed']);
export type ParameterState = z.infer<typeof parameterState>;

export interface DcuParameter {
  key: string;
  group: ParameterGroup;
  text: Text;
  /** Encoding: text as octet-string, numbers in their width. */
  type: 'text' | 'u8' | 'u16' | 'u32' | 'flag' | 'choice';
  min?: number;
  max?: number;
  pattern?: RegExp;
  unit?: string;
  choices?: Readonly<Record<string, Text>>;
  isReadOnly?: boolean;
  /** `link`: a wrong value disconnects the DCU; written last, with a trial period if the DCU supports it. */
  risk?: 'link' | 'service';
  classId: number;
  obis: string;
  attribute: number;
}

const HOST = /^(?=.{1,64}$)[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const CLOCK_TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const object = (number: number) => ({ classId: 1, obis: `0.0.96.129.${number}.255`, attribute: 2 });
const tcp = (attribute: number) => ({ classId: 41, obis: '0.0.25.0.0.255', attribute });

/** Writable parameters of the reference DCU, as specified in docs/dcu-profile.md. */
export const DCU_PARAMETERS: readonly DcuParameter[] = [
  { key: 'name', group: 'identity', text: { en: 'Device name', zh: '设备名称' }, type: 'text', pattern: /^.{0,32}$/, ...object(1) },
  { key: 'site', group: 'identity', text: { en: 'Site', zh: '安装地点' }, type: 'text', pattern: /^.{0,64}$/, ...object(2) },
  { key: 'hardware', group: 'identity', text: { en: 'Hardware version', zh: '硬件版本' }, type: 'text', isReadOnly: true, ...object(3) },
  { key: 'apn', group: 'uplink', text: { en: 'APN', zh: 'APN' }, type: 'text', pattern: HOST, risk: 'link', ...object(10) },
  { key: 'server', group: 'uplink', text: { en: 'Server', zh: '主站地址' }, type: 'text', pattern: HOST, risk: 'link', ...object(11) },
  {
    key: 'server_port',
    group: 'uplink',
    text: { en: 'Server port', zh: '主站端口' },
    type: 'u16',
    min: 1,
    max: 65_535,
    risk: 'link',
    ...object(12),
  },
  {
    key: 'connection_mode',
    group: 'uplink',
    text: { en: 'Connection mode', zh: '连接方式' },
    type: 'choice',
    choices: {
      '0': { en: 'Dials in, stays', zh: '主动常连' },
      '1': { en: 'Dials in on demand', zh: '按需连接' },
      '2': { en: 'Is dialled', zh: '被动连接' },
    },
    risk: 'link',
    ...object(13),
  },
  {
    key: 'heartbeat_s',
    group: 'uplink',
    text: { en: 'Heartbeat', zh: '心跳周期' },
    type: 'u16',
    min: 30,
    max: 3600,
    unit: 's',
    ...object(14),
  },
  {
    key: 'listen_port',
    group: 'uplink',
    text: { en: 'Listening port', zh: '监听端口' },
    type: 'u16',
    min: 1,
    max: 65_535,
    risk: 'link',
    ...tcp(2),
  },
  {
    key: 'inactivity_s',
    group: 'uplink',
    text: { en: 'Inactivity timeout', zh: '空闲超时' },
    type: 'u16',
    min: 0,
    max: 65_535,
    unit: 's',
    ...tcp(6),
  },
  { key: 'ntp_server', group: 'time', text: { en: 'NTP server', zh: 'NTP 服务器' }, type: 'text', pattern: HOST, ...object(20) },
  {
    key: 'ntp_period_min',
    group: 'time',
    text: { en: 'NTP period', zh: 'NTP 周期' },
    type: 'u16',
    min: 1,
    max: 1440,
    unit: 'min',
    ...object(21),
  },
  { key: 'clock_broadcast', group: 'time', text: { en: 'Daily clock broadcast', zh: '每日广播校时' }, type: 'flag', ...object(22) },
  {
    key: 'failed_tries',
    group: 'security',
    text: { en: 'Failed authentications before alarm', zh: '认证失败告警次数' },
    type: 'u8',
    min: 1,
    max: 100,
    risk: 'service',
    ...object(30),
  },
  { key: 'key_status', group: 'security', text: { en: 'Key status', zh: '密钥状态' }, type: 'text', isReadOnly: true, ...object(31) },
  {
    key: 'band',
    group: 'network',
    text: { en: 'PLC band', zh: '载波频段' },
    type: 'choice',
    choices: { '0': { en: 'CENELEC A', zh: 'CENELEC A' }, '1': { en: 'FCC', zh: 'FCC' }, '2': { en: 'ARIB', zh: 'ARIB' } },
    risk: 'service',
    ...object(40),
  },
  {
    key: 'network_id',
    group: 'network',
    text: { en: 'Network ID', zh: '网络标识' },
    type: 'u16',
    min: 0,
    max: 65_535,
    risk: 'service',
    ...object(41),
  },
  { key: 'node_limit', group: 'network', text: { en: 'Node limit', zh: '节点上限' }, type: 'u16', min: 1, max: 4096, ...object(42) },
  {
    key: 'rf_channel',
    group: 'network',
    text: { en: 'RF channel', zh: '无线信道' },
    type: 'u8',
    min: 0,
    max: 63,
    risk: 'service',
    ...object(43),
  },
  {
    key: 'network_mode',
    group: 'network',
    text: { en: 'Network mode', zh: '网络模式' },
    type: 'choice',
    choices: {
      '0': { en: 'Power line and radio', zh: '双模' },
      '1': { en: 'Power line only', zh: '仅载波' },
      '2': { en: 'Radio only', zh: '仅无线' },
    },
    risk: 'service',
    ...object(44),
  },
  {
    key: 'daily_at',
    group: 'collection',
    text: { en: 'Daily collection at', zh: '每日采集时间' },
    type: 'text',
    pattern: CLOCK_TIME,
    ...object(50),
  },
  {
    key: 'depth_days',
    group: 'collection',
    text: { en: 'Cache depth', zh: '缓存天数' },
    type: 'u8',
    min: 1,
    max: 62,
    unit: 'd',
    ...object(51),
  },
  { key: 'retries', group: 'collection', text: { en: 'Retries', zh: '重试次数' }, type: 'u8', min: 0, max: 10, ...object(52) },
  { key: 'push_events', group: 'events', text: { en: 'Push events', zh: '事件主动上报' }, type: 'flag', ...object(60) },
  {
    key: 'push_delay_s',
    group: 'events',
    text: { en: 'Push random delay', zh: '上报随机延时' },
    type: 'u16',
    min: 0,
    max: 3600,
    unit: 's',
    ...object(61),
  },
  {
    key: 'log_level',
    group: 'debug',
    text: { en: 'Log level', zh: '日志级别' },
    type: 'choice',
    choices: { '0': { en: 'Errors', zh: '错误' }, '1': { en: 'Normal', zh: '一般' }, '2': { en: 'Everything', zh: '全部' } },
    ...object(70),
  },
];

export const parameterOf = (key: string): DcuParameter | undefined => DCU_PARAMETERS.find((one) => one.key === key);

/** Trial period of link parameters in seconds; the DCU reverts unless the head-end confirms them in time. */
export const TRIAL_OBJECT = object(250);
export const TRIAL_S = 600;

export const GROUP_TEXT: Record<ParameterGroup, Text> = {
  identity: { en: 'Identity', zh: '标识' },
  uplink: { en: 'Uplink', zh: '上行通信' },
  time: { en: 'NTP and time', zh: 'NTP 与时间' },
  security: { en: 'Security', zh: '安全' },
  network: { en: 'PLC / RF', zh: '载波/无线' },
  collection: { en: 'Collection', zh: '采集' },
  events: { en: 'Events and push', zh: '事件与上报' },
  debug: { en: 'Debug', zh: '调试' },
};

const REFUSALS = {
  unknown: { en: 'There is no such parameter', zh: '无此参数' },
  readOnly: { en: 'This parameter can only be read', zh: '该参数只读' },
  form: { en: 'This is not in the form it needs', zh: '格式不正确' },
} as const satisfies Record<string, Text>;

/** Reason why a value is invalid for a parameter; undefined: it is valid. */
export function refusalOf(key: string, value: string): Text | undefined {
  const parameter = parameterOf(key);
  if (parameter === undefined) return REFUSALS.unknown;
  const { type, min = 0, max = 4_294_967_295, pattern, choices, isReadOnly } = parameter;
  if (isReadOnly === true) return REFUSALS.readOnly;
  if (type === 'flag') return value === 'true' || value === 'false' ? undefined : REFUSALS.form;
  if (type === 'choice') return choices !== undefined && value in choices ? undefined : REFUSALS.form;
  if (type === 'text') return pattern === undefined || pattern.test(value) ? undefined : REFUSALS.form;
  if (!/^\d{1,10}$/.test(value)) return REFUSALS.form;
  const isWithin = Number(value) >= min && Number(value) <= max;
  return isWithin ? undefined : fill({ en: 'From {min} to {max}', zh: '范围 {min} 至 {max}' }, { min: String(min), max: String(max) });
}
