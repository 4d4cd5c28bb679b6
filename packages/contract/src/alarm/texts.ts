import type { Text } from '../core/text.ts';

/** Probable cause and next step. */
export interface Advice {
  cause: Text;
  remedy: Text;
}

const SUPPLY: Advice = {
  cause: {
    en: 'Most meters of the affected DCUs report it: the supply of their transformers is probably interrupted.',
    zh: '相关集中器下的大部分电表均上报：其变压器供电可能中断。',
  },
  remedy: {
    en: 'Check the medium-voltage feeder and the transformer stations, and inform the control room of the network.',
    zh: '检查中压馈线与变压器台区，并通知电网调度。',
  },
};
const PART_OF_SUPPLY: Advice = {
  cause: {
    en: 'Some meters of the affected DCUs report it: a fuse, a phase or a low-voltage line has probably failed.',
    zh: '相关集中器下的部分电表上报：可能是熔断器、某一相或低压线路故障。',
  },
  remedy: {
    en: 'Compare phases and addresses of the affected meters on the page of the events, and send a crew to their low-voltage line.',
    zh: '在事件页面比较相关电表的相别与地址，并派人检查低压线路。',
  },
};
const FRAUD: Advice = {
  cause: {
    en: 'The meter was opened, moved or exposed to a magnet, or its wiring was changed.',
    zh: '电表被打开、移动、受磁场干扰或接线被改动。',
  },
  remedy: {
    en: 'Compare the consumption before and after the event, and have the meter inspected on site.',
    zh: '比较事件前后的用电量，并安排现场检查。',
  },
};
const QUALITY: Advice = {
  cause: { en: 'Voltage or current left its permitted range.', zh: '电压或电流超出允许范围。' },
  remedy: {
    en: 'Compare neighbouring meters: if several report it, check tap and load of the transformer, otherwise the connection of the customer.',
    zh: '比较相邻电表：若多块上报，检查变压器分接头与负荷；否则检查用户接线。',
  },
};
const DEVICE: Advice = {
  cause: { en: 'The device reports a fault or a change of its own.', zh: '设备上报自身故障或变更。' },
  remedy: {
    en: 'Read the event log of the device, and replace the device if the fault returns.',
    zh: '抄读设备的事件日志，若故障再次出现则更换设备。',
  },
};
const CONNECTION: Advice = {
  cause: {
    en: 'The connection to the DCU is unstable: weak signal, failing modem or overloaded network.',
    zh: '与集中器的连接不稳定：信号弱、通信模块故障或网络拥塞。',
  },
  remedy: { en: 'Check signal strength and connections on the page of the DCU.', zh: '在集中器页面检查信号强度与连接记录。' },
};
const ATTACK: Advice = {
  cause: {
    en: 'A person or program does what the head-end has not ordered: an attack, or a mistake of an administrator.',
    zh: '有人或程序进行了主站未下达的操作：可能是攻击，也可能是管理员失误。',
  },
  remedy: {
    en: 'Read the audit log and the command log of the last hours. If they do not explain it, use the emergency stop and treat it as a security incident.',
    zh: '查看最近数小时的审计日志与命令日志。若无法解释，请启用紧急停止并按安全事件处理。',
  },
};
const EMERGENCY: Advice = {
  cause: {
    en: 'A person has signed in by the emergency account: the identity provider is down, or the account is misused.',
    zh: '有人使用应急账号登录：可能是身份提供方故障，也可能是账号被滥用。',
  },
  remedy: {
    en: 'Ask the keeper of the account. If it was not used on purpose, end its sessions, reset its password, and treat it as a security incident.',
    zh: '请询问账号保管人。若无人使用，请强制其下线、重置密码，并按安全事件处理。',
  },
};
const CERTIFICATE: Advice = {
  cause: { en: 'The period of validity ends.', zh: '有效期即将结束或已结束。' },
  remedy: { en: 'Renew the certificate on the page Certificates.', zh: '请在“证书”页面更新证书。' },
};
const BACKUP: Advice = {
  cause: {
    en: 'The disk of the backups is full or not reachable, or the backup could not be restored for a test.',
    zh: '备份磁盘已满或无法访问，或备份的恢复测试未通过。',
  },
  remedy: {
    en: 'Open the page Nodes and read the failure. Mend it, and make a backup by "hes backup".',
    zh: '在“主站节点”页面查看失败原因，排除后用“hes backup”重新备份。',
  },
};
const CHANNEL: Advice = {
  cause: {
    en: 'Mail server or receiver is not reachable, refuses the sign-in, or refuses the message.',
    zh: '邮件服务器或接收方无法连接、拒绝登录或拒绝消息。',
  },
  remedy: {
    en: 'Open the channel on the page Alarms, read its failure, and test it.',
    zh: '在“告警通知”页面打开该渠道，查看失败原因并测试。',
  },
};
const GENERAL: Advice = {
  cause: { en: 'No usual cause is known for this code.', zh: '该代码没有已知的常见原因。' },
  remedy: { en: 'Open the events and read what the devices report.', zh: '打开事件页面查看设备上报的内容。' },
};

/** Advice by log and code, then by log. */
const ADVICE: Readonly<Record<string, Advice>> = {
  fraud: FRAUD,
  quality: QUALITY,
  standard: DEVICE,
  disconnector: DEVICE,
  mbus: DEVICE,
  comms: CONNECTION,
  dcu: DEVICE,
  'dcu:46': ATTACK,
  'dcu:60001': ATTACK,
  'dcu:60002': ATTACK,
  'dcu:60003': ATTACK,
  'dcu:60004': ATTACK,
  'dcu:60005': CONNECTION,
  'dcu:60006': ATTACK,
  'dcu:60007': CONNECTION,
  'dcu:60020': ATTACK,
  'dcu:60030': ATTACK,
  'dcu:60040': ATTACK,
  'dcu:60050': CERTIFICATE,
  'dcu:60051': CERTIFICATE,
  'dcu:60060': CHANNEL,
  'dcu:60070': BACKUP,
  'dcu:60080': EMERGENCY,
};
const POWER_DOWN: ReadonlySet<string> = new Set(['standard:1', 'dcu:1']);
/** Share of the meters of the DCUs from which the supply of the transformer is the probable cause. */
const MOST = 0.5;

/** Probable cause and next step for a code. `share`: affected meters of all meters of the affected DCUs. */
export function adviceFor({ log, code }: { log: string; code: number }, share: number): Advice {
  const key = `${log}:${code}`;
  if (POWER_DOWN.has(key)) return log === 'dcu' || share >= MOST ? SUPPLY : PART_OF_SUPPLY;
  return ADVICE[key] ?? ADVICE[log] ?? GENERAL;
}

/** Texts of alarm messages. */
export const ALARM_TEXT = {
  title: { en: '{level}: {name}, {scope}', zh: '{level}：{name}，{scope}' },
  again: { en: '[Step {step}] {title}', zh: '【第 {step} 步】{title}' },
  meters: { en: '{count} {count|meter|meters}', zh: '{count} 块电表' },
  dcus: { en: '{count} {count|DCU|DCUs}', zh: '{count} 台集中器' },
  headEnd: { en: 'head-end', zh: '主站' },
  what: { en: 'Event', zh: '事件' },
  where: { en: 'Where', zh: '位置' },
  since: { en: 'Since', zh: '开始时间' },
  affected: { en: 'Affected', zh: '影响范围' },
  place: { en: 'DCU {sn} ({transformer}): {affected} of {all} meters', zh: '集中器 {sn}（{transformer}）：{all} 块电表中的 {affected} 块' },
  placeOfDcu: { en: '{sn} ({transformer})', zh: '{sn}（{transformer}）' },
  morePlaces: { en: 'and {count} more', zh: '另有 {count} 处' },
  counts: { en: '{events} {events|event|events} so far, {recovered} recovered', zh: '目前 {events} 个事件，其中 {recovered} 个已恢复' },
  cause: { en: 'Probable cause', zh: '可能原因' },
  remedy: { en: 'What to do', zh: '处理建议' },
  report: { en: 'Report', zh: '内容' },
  rule: { en: 'Rule', zh: '规则' },
  acknowledge: { en: 'Acknowledge in the console, so that no further step follows', zh: '请在系统中确认，以停止后续通知' },
  link: { en: 'Open and acknowledge', zh: '打开并确认' },
  further: {
    en: 'Further events of this cause change the counts in the console and send no message of their own.',
    zh: '同一原因的后续事件仅更新系统中的计数，不再单独通知。',
  },
  testTitle: { en: 'Test message of the head-end', zh: '主站测试消息' },
  testText: { en: 'The channel {channel} works. Nothing has happened.', zh: '渠道 {channel} 工作正常，没有任何告警。' },
  digestTitle: { en: 'Daily digest of {day}: {rate} of readings received', zh: '{day} 每日摘要：抄读成功率 {rate}' },
  digestDaily: { en: 'Daily freezes', zh: '日冻结' },
  digestProfile: { en: 'Load profile A', zh: '负荷曲线 A' },
  digestOf: { en: '{rate} ({got} of {expected})', zh: '{rate}（{expected} 中的 {got}）' },
  digestDcus: { en: 'DCUs online', zh: '在线集中器' },
  digestShare: { en: '{got} of {expected}', zh: '{expected} 中的 {got}' },
  digestSerious: { en: 'Serious events', zh: '严重事件' },
  digestWarnings: { en: 'Warnings', zh: '警告事件' },
  digestUnacknowledged: { en: 'Of these not acknowledged', zh: '其中未确认' },
  digestMessages: { en: 'Alarm messages of the day', zh: '当日告警消息' },
  digestMessageCounts: {
    en: '{sent} sent, {partly} refused in part, {failed} given up, {unknown} with unknown outcome, {waiting} waiting',
    zh: '已发送 {sent}，部分被拒 {partly}，已放弃 {failed}，结果未知 {unknown}，待发送 {waiting}',
  },
  digestAlarms: { en: 'Alarms not acknowledged', zh: '未确认告警' },
  none: { en: 'nothing expected', zh: '无应抄数据' },
  unknownCode: { en: 'Event {code} of the log {log}', zh: '{log} 日志事件 {code}' },
} as const satisfies Record<string, Text>;
