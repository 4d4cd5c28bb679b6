import type { Cause } from './cause.ts';
import type { AttemptRow, GapFact, MeterFacts } from './meter-status.ts';

const HOUR_MS = 3_600_000;
/** A meter is silent if it has not communicated for a day: plans read it at least daily. */
const isSilent = ({ freshness }: MeterFacts): boolean => freshness !== 'h24';
const isInService = ({ inventoryState }: MeterFacts): boolean => inventoryState === 'active';

/** The last attempt that reached an end of its own. */
export const lastAttempt = ({ attempts }: MeterFacts): AttemptRow | undefined =>
  attempts?.find(({ state }) => state === 'read_success' || state === 'read_fail');

/** Failures in a row, newest first. */
export const failuresInRow = ({ attempts }: MeterFacts): AttemptRow[] => {
  const ended = (attempts ?? []).filter(({ state }) => state === 'read_success' || state === 'read_fail');
  const success = ended.findIndex(({ state }) => state === 'read_success');
  return success < 0 ? ended : ended.slice(0, success);
};

const failedWith = (facts: MeterFacts, codes: readonly string[]): boolean => {
  const last = lastAttempt(facts);
  return last?.state === 'read_fail' && last.reasonCode !== null && codes.includes(last.reasonCode);
};

const SECRETS = [
  'KEYS_MISSING',
  'AUTH_FAILED',
  'DECRYPT_FAILED',
  'CERTIFICATE_MISSING',
  'CERTIFICATE_EXPIRED',
  'OWN_CERTIFICATE_MISSING',
  'OWN_CERTIFICATE_EXPIRED',
];
const TIMEOUTS = ['METER_TIMEOUT', 'DCU_TIMEOUT', 'NO_ROUTE', 'LINK_LOST', 'BLOCK_ERROR'];

/** Code of the event Power Down in the standard log, whose recovery is stored with it. */
const POWER_DOWN = 1;
const powerFailure = ({ events }: MeterFacts) =>
  events?.find(({ log, code, recoveredAt }) => log === 'standard' && code === POWER_DOWN && recoveredAt === null);

/** A failed parent explains its stations: the nearest one on the route that is offline. */
const failedParent = ({ network }: MeterFacts) => network?.station?.route.find(({ isOnline }) => !isOnline);

/** More than half of the meters of a DCU being silent has a common cause. */
const isShared = ({ line }: MeterFacts): boolean => line !== null && line.meters >= 4 && line.silent * 2 > line.meters;

const withState = ({ gaps }: MeterFacts, state: GapFact['state']): GapFact[] => (gaps ?? []).filter((gap) => gap.state === state);
const sumMissing = (gaps: readonly GapFact[]): number => gaps.reduce((sum, { missing }) => sum + missing, 0);

const lineIs = ({ line }: MeterFacts, status: 'offline' | 'unknown' | 'never'): boolean => line?.onlineStatus === status;
const isWeak = ({ network }: MeterFacts): boolean => network?.station?.signal === 'poor' || network?.station?.signal === 'fail';

/** Causes for the state of a meter, those that explain others first. Each holds by stored facts alone; none asks a device. */
export const METER_CAUSES = {
  in_warehouse: {
    health: null,
    applies: ({ inventoryState }) => inventoryState === 'in_warehouse',
    sentence: { en: 'The meter is in the warehouse, so no plan reads it.', zh: '电表在库，采集方案不抄读。' },
    todo: { en: 'Install it: bind it to a DCU and a transformer.', zh: '安装后绑定集中器和变压器。' },
    evidence: ['identity'],
    actions: ['asset'],
  },
  not_bound: {
    health: 'bad',
    applies: ({ inventoryState, isBound }) => inventoryState !== 'in_warehouse' && !isBound,
    sentence: { en: 'The meter is bound to no DCU, so it cannot be reached.', zh: '电表未绑定集中器，无法通信。' },
    todo: { en: 'Bind it to the DCU whose network it is in, then dispatch the archive.', zh: '绑定其所在网络的集中器，然后下发档案。' },
    evidence: ['identity'],
    actions: ['archives', 'asset'],
  },
  line_never: {
    health: 'bad',
    applies: (facts) => lineIs(facts, 'never'),
    values: ({ line }) => ({ sn: line?.sn ?? '' }),
    sentence: { en: '{sn}, through which the meter is read, has never connected.', zh: '抄读该表所经的 {sn} 从未连接。' },
    todo: { en: 'Follow its connection step by step.', zh: '按步骤完成其接入。' },
    evidence: ['network'],
    actions: ['connect', 'dcu'],
  },
  line_offline: {
    health: 'bad',
    applies: (facts) => lineIs(facts, 'offline') && facts.line?.since !== null,
    values: ({ line }) => ({ sn: line?.sn ?? '', sinceAt: line?.since ?? '' }),
    sentence: {
      en: '{sn}, through which the meter is read, has been offline since {sinceAt}.',
      zh: '抄读该表所经的 {sn} 自 {sinceAt} 起离线。',
    },
    todo: {
      en: 'Restore its connection: power, SIM card, antenna, network. Readings are fetched afterwards without an order.',
      zh: '恢复其连接：电源、SIM 卡、天线、网络。恢复后自动补召。',
    },
    evidence: ['network', 'attempts'],
    actions: ['dcu', 'log'],
  },
  line_offline_undated: {
    health: 'bad',
    applies: (facts) => lineIs(facts, 'offline') && facts.line?.since === null,
    values: ({ line }) => ({ sn: line?.sn ?? '' }),
    sentence: {
      en: '{sn}, through which the meter is read, is offline; since when is not stored.',
      zh: '抄读该表所经的 {sn} 离线，起始时间无记录。',
    },
    todo: {
      en: 'Restore its connection: power, SIM card, antenna, network. Readings are fetched afterwards without an order.',
      zh: '恢复其连接：电源、SIM 卡、天线、网络。恢复后自动补召。',
    },
    evidence: ['network', 'attempts'],
    actions: ['dcu', 'log'],
  },
  line_unconfirmed: {
    health: 'unknown',
    applies: (facts) => lineIs(facts, 'unknown'),
    values: ({ line }) => ({ sn: line?.sn ?? '' }),
    sentence: {
      en: '{sn} was connected before the head-end restarted and has not connected again yet.',
      zh: '主站重启前 {sn} 在线，重启后尚未重新连接。',
    },
    todo: { en: 'Wait for its next heartbeat.', zh: '等待其下一次心跳。' },
    evidence: ['network'],
    actions: ['dcu'],
  },
  power_failure: {
    health: 'bad',
    applies: (facts) => isInService(facts) && powerFailure(facts) !== undefined && isSilent(facts),
    values: (facts) => ({ downAt: powerFailure(facts)?.at ?? '' }),
    sentence: {
      en: 'The meter reported a power failure at {downAt}, and no return of the supply is stored.',
      zh: '电表于 {downAt} 上报停电，尚无来电记录。',
    },
    todo: { en: 'Check the supply of the customer or of the feeder.', zh: '检查用户或线路的供电。' },
    evidence: ['events'],
    actions: ['events', 'route'],
  },
  wrong_secret: {
    health: 'bad',
    applies: (facts) => failedWith(facts, SECRETS),
    sentence: {
      en: 'The meter answers, but the keys, the password or the certificate do not fit.',
      zh: '电表有应答，但密钥、密码或证书不符。',
    },
    todo: { en: 'Import the keys of this meter again, as its supplier delivered them.', zh: '重新导入供应商提供的该表密钥。' },
    evidence: ['attempts'],
    actions: ['asset'],
  },
  not_in_archive: {
    health: 'bad',
    applies: (facts) => failedWith(facts, ['NOT_IN_ARCHIVE']),
    sentence: {
      en: 'The DCU does not have the meter in its archive, so it does not forward requests to it.',
      zh: '集中器档案中无此表，不转发请求。',
    },
    todo: { en: 'Dispatch the archive to the DCU.', zh: '向集中器下发档案。' },
    evidence: ['attempts'],
    actions: ['archives'],
  },
  other_meter: {
    health: 'bad',
    applies: (facts) => failedWith(facts, ['IDENTITY_MISMATCH', 'COUNTER_REPLAY']),
    sentence: {
      en: 'Another meter answered under the address of this one, or an old answer was repeated.',
      zh: '该地址由另一只电表应答，或旧应答被重放。',
    },
    todo: {
      en: 'Compare the archive of the DCU with the meters on site before any reading is used.',
      zh: '使用读数前，先核对集中器档案与现场电表。',
    },
    evidence: ['attempts'],
    actions: ['archives', 'events'],
  },
  parent_offline: {
    health: 'bad',
    applies: (facts) => isSilent(facts) && failedParent(facts) !== undefined,
    values: (facts) => ({ sn: failedParent(facts)?.sn ?? '' }),
    sentence: { en: 'Station {sn}, through which the meter was last reached, is offline too.', zh: '该表上次通信所经的站点 {sn} 也离线。' },
    todo: { en: 'Restore that station first; the meters behind it follow.', zh: '先处理该站点，其下电表将随之恢复。' },
    evidence: ['network'],
    actions: ['route'],
  },
  many_silent: {
    health: 'bad',
    applies: (facts) => isSilent(facts) && isShared(facts),
    values: ({ line }) => ({ silent: line?.silent ?? 0, meters: line?.meters ?? 0, sn: line?.sn ?? '' }),
    sentence: {
      en: '{silent} of {meters} meters of {sn} have not communicated for a day: they share a cause.',
      zh: '{sn} 的 {meters} 只电表中有 {silent} 只超过一天无通信：原因是共同的。',
    },
    todo: { en: 'Check the DCU and its network rather than this meter.', zh: '检查集中器及其网络，而非单只电表。' },
    evidence: ['network'],
    actions: ['dcu', 'route'],
  },
  left_network: {
    health: 'bad',
    applies: ({ network }) => network?.station?.isOnline === false,
    values: ({ network }) => ({ seenAt: network?.station?.lastSeenAt ?? '' }),
    sentence: {
      en: 'The communication module of the meter has left the network of the DCU; last seen at {seenAt}.',
      zh: '电表通信模块已离开集中器网络，最后出现于 {seenAt}。',
    },
    todo: {
      en: 'Check supply and module on site. If its neighbours are online, suspect the module.',
      zh: '现场检查供电和模块；若邻近站点在线，多为模块问题。',
    },
    evidence: ['network'],
    actions: ['route', 'readNow'],
  },
  never_in_network: {
    health: 'bad',
    applies: ({ network, communicationMode, isBound }) =>
      communicationMode !== 'direct' && isBound && network !== null && network.takenAt !== null && network.station === null,
    values: ({ network }) => ({ takenAt: network?.takenAt ?? '' }),
    sentence: {
      en: 'The DCU did not list the meter when it reported its network at {takenAt}.',
      zh: '集中器于 {takenAt} 上报的网络中没有该表。',
    },
    todo: {
      en: 'Check on site whether the meter is supplied and in reach; search for meters, or bind it to another DCU.',
      zh: '现场确认供电和距离；执行搜表，或改绑其他集中器。',
    },
    evidence: ['network'],
    actions: ['route', 'archives'],
  },
  set_aside: {
    health: 'attention',
    applies: ({ setAsideUntil }) => setAsideUntil !== null,
    values: ({ setAsideUntil }) => ({ untilAt: setAsideUntil ?? '' }),
    sentence: {
      en: 'Collection is paused until {untilAt}, because the responses of the meter were too long.',
      zh: '因电表应答过长，采集暂停至 {untilAt}。',
    },
    todo: {
      en: 'Check the frames of the last attempt; the type of the meter may be wrong.',
      zh: '查看最近一次的报文；电表类型可能有误。',
    },
    evidence: ['attempts'],
    actions: ['log', 'asset'],
  },
  weak_signal: {
    health: 'attention',
    applies: (facts) => isWeak(facts) && (isSilent(facts) || failedWith(facts, TIMEOUTS)),
    values: ({ network }) => ({ value: network?.station?.signalValue ?? '—', unit: network?.station?.signalUnit ?? '' }),
    sentence: {
      en: 'The signal of the meter is weak ({value} {unit}), and requests time out.',
      zh: '电表信号弱（{value} {unit}），请求超时。',
    },
    todo: {
      en: 'Read it again at another hour. If that fails too, a repeater or another DCU is needed.',
      zh: '换时段重抄；仍失败则需加中继或改绑集中器。',
    },
    evidence: ['network', 'attempts'],
    actions: ['readNow', 'route'],
  },
  no_response: {
    health: 'bad',
    applies: (facts) => failedWith(facts, TIMEOUTS) && !isWeak(facts) && facts.line?.onlineStatus === 'online',
    values: (facts) => ({ count: failuresInRow(facts).length }),
    sentence: {
      en: '{count} {count|attempt|attempts} in a row failed with a timeout although the line is online. The stored facts do not say why.',
      zh: '线路在线，但最近 {count} 次尝试均超时。已存事实不能说明原因。',
    },
    todo: { en: 'Read now. If the neighbours answer, visit the meter.', zh: '立即抄读；若邻近电表有应答，请现场检查。' },
    evidence: ['attempts', 'network'],
    actions: ['readNow', 'route'],
  },
  other_failure: {
    health: 'attention',
    applies: (facts) =>
      lastAttempt(facts)?.state === 'read_fail' &&
      !failedWith(facts, [
        ...TIMEOUTS,
        ...SECRETS,
        'NOT_IN_ARCHIVE',
        'IDENTITY_MISMATCH',
        'COUNTER_REPLAY',
        'DCU_OFFLINE',
        'METER_OFFLINE',
      ]),
    sentence: { en: 'The last attempt failed; the reason is below.', zh: '最近一次尝试失败，原因见下。' },
    todo: { en: 'Read the reason, and read the meter again.', zh: '查看原因后重新抄读。' },
    evidence: ['attempts'],
    actions: ['readNow'],
  },
  clock_wrong: {
    health: 'attention',
    applies: ({ clock }) => clock !== null && ['set', 'confirm', 'invalid'].includes(clock.class),
    values: ({ clock }) => ({ seconds: clock?.deviationMs == null ? '—' : Math.round(clock.deviationMs / 1000) }),
    sentence: {
      en: 'The clock of the meter deviates ({seconds} s): intervals may be stored under wrong times, or missing.',
      zh: '电表时钟有偏差（{seconds} 秒）：时段数据可能错位或缺失。',
    },
    todo: { en: 'Synchronize its clock.', zh: '执行校时。' },
    evidence: ['clock'],
    actions: ['clock'],
  },
  data_lost: {
    health: 'attention',
    applies: (facts) => withState(facts, 'lost').length > 0,
    values: (facts) => ({ missing: sumMissing(withState(facts, 'lost')) }),
    sentence: {
      en: '{missing} {missing|reading is|readings are} lost: the buffer of the meter no longer holds {missing|it|them}.',
      zh: '有 {missing} 个读数已丢失：电表缓存中已无此数据。',
    },
    todo: { en: 'Enter values by hand where a bill needs them.', zh: '账单需要时请人工录入。' },
    evidence: ['gaps'],
    actions: ['readings'],
  },
  gaps_open: {
    health: 'attention',
    applies: (facts) => withState(facts, 'open').length > 0,
    values: (facts) => ({
      missing: sumMissing(withState(facts, 'open')),
      nextAt:
        withState(facts, 'open')
          .map(({ nextTryAt }) => nextTryAt)
          .toSorted()[0] ?? '',
    }),
    sentence: {
      en: '{missing} {missing|reading is|readings are} missing; the head-end tries again from {nextAt}.',
      zh: '缺 {missing} 个读数；主站自 {nextAt} 起自动补召。',
    },
    todo: { en: 'Wait, or fill the gaps now.', zh: '等待，或立即补召。' },
    evidence: ['gaps', 'attempts'],
    actions: ['refill', 'readings'],
  },
  supply_off: {
    health: null,
    applies: ({ relayState }) => relayState === 'disconnected',
    sentence: {
      en: 'The relay is open: the customer has no supply, so consumption does not increase.',
      zh: '继电器断开：用户无供电，电量不增长。',
    },
    todo: { en: 'Connect it if the reason for the disconnection no longer exists.', zh: '断开原因消除后可合闸。' },
    evidence: ['identity'],
    actions: ['relay'],
  },
  odd_consumption: {
    health: 'attention',
    applies: ({ anomalies }) => (anomalies ?? []).length > 0,
    values: ({ anomalies }) => ({ days: anomalies?.length ?? 0 }),
    sentence: { en: 'Consumption was unusual on {days} {days|day|days} of the last week.', zh: '最近一周有 {days} 天用电异常。' },
    todo: { en: 'Review each day: confirm or dismiss it.', zh: '逐日确认或排除。' },
    evidence: ['loss'],
    actions: ['anomalies'],
  },
  never_heard: {
    health: 'unknown',
    applies: (facts) =>
      isInService(facts) &&
      facts.lastCommAt === null &&
      facts.attempts !== null &&
      lastAttempt(facts) === undefined &&
      facts.line?.onlineStatus === 'online',
    sentence: {
      en: 'No communication with the meter is stored, and no attempt of the last week has ended at the meter.',
      zh: '无通信记录，最近一周也无已结束的抄读尝试。',
    },
    todo: { en: 'Read now; check that a collect plan includes the meter.', zh: '立即抄读，并确认采集方案包含该表。' },
    evidence: ['attempts'],
    actions: ['readNow'],
  },
  silent_unknown: {
    health: 'unknown',
    applies: (facts) => {
      const isOld = facts.lastCommAt !== null && Date.parse(facts.at) - Date.parse(facts.lastCommAt) > 24 * HOUR_MS;
      return (
        isInService(facts) &&
        isOld &&
        facts.line?.onlineStatus === 'online' &&
        lastAttempt(facts) === undefined &&
        (facts.attempts ?? []).length > 0
      );
    },
    sentence: {
      en: 'The meter has not communicated for a day, and no attempt ended with a reason.',
      zh: '超过一天无通信，且没有带原因的尝试记录。',
    },
    todo: { en: 'Read now.', zh: '立即抄读。' },
    evidence: ['attempts'],
    actions: ['readNow'],
  },
} as const satisfies Record<string, Cause<MeterFacts>>;
export type MeterCause = keyof typeof METER_CAUSES;
