import type { Text } from '../core/text.ts';
import type { TaskKind } from './kind.ts';
import type { RunItemState } from './run-state.ts';
import type { TaskItemRow, TaskItemState, TaskRow, TaskState } from './task.ts';

interface TaskWords {
  name: Text;
  waiting: Text;
  running: Text;
  succeeded: Text;
  failed: Text;
  /** Only for commands whose outcome can be lost on the way back. */
  unknown?: Text;
  /** Tasks of this kind carry a name of their own: of a plan, a type, a period. */
  hasOwnTitle?: true;
}

const WAITING: Text = { en: 'Waiting', zh: '等待中' };
/** @spec seed §4 */
const READ = {
  waiting: WAITING,
  running: { en: 'Reading', zh: '抄读中' },
  succeeded: { en: 'Read Success', zh: '抄读成功' },
  failed: { en: 'Read Fail', zh: '抄读失败' },
};
const UNKNOWN: Text = { en: 'Unknown', zh: '结果未知' };

type Pair = readonly [en: string, zh: string];
const text = ([en, zh]: Pair): Text => ({ en, zh });

/** What is read, with the words of a reading. */
const reading = (...name: Pair): TaskWords => ({ name: text(name), ...READ });

/** An order that is no reading, with words of its own. */
const order = (name: Pair, words: { running: Pair; succeeded: Pair; failed: Pair }): TaskWords => ({
  name: text(name),
  waiting: WAITING,
  running: text(words.running),
  succeeded: text(words.succeeded),
  failed: text(words.failed),
});

/** Changes of an archive share a kind and differ by `params.mode`. */
type ArchiveChange = `archive_dispatch/${'delete' | 'clear' | 'plan'}`;

/** The words of every kind of task: heads, counters, filters, rows, notices, logs and files all take them from here. */
export const TASK_WORDS: Readonly<Record<TaskKind | ArchiveChange, TaskWords>> = {
  registers: reading('Register reading', '实时数据召测'),
  daily: reading('Daily freeze reading', '日冻结召测'),
  monthly: reading('Month end reading', '月冻结召测'),
  energy: reading('Energy profile reading', '电能曲线召测'),
  lpa: reading('Load profile A reading', '负荷曲线A召测'),
  lpb: reading('Load profile B reading', '负荷曲线B召测'),
  real_time: reading('Real-time reading', '实时抄读'),
  collect: { ...reading('Scheduled collection', '定时采集'), hasOwnTitle: true },
  refill: reading('Refill of gaps', '数据补召'),
  audit_readings: order(['Audit of readings', '读数核对'], {
    running: ['Comparing', '核对中'],
    succeeded: ['Compared', '已核对'],
    failed: ['Not compared', '核对失败'],
  }),
  events: reading('Event reading', '事件抄读'),
  clock_read: reading('Clock reading', '时钟读取'),
  clock_sync: order(['Clock synchronization', '时钟同步'], {
    running: ['Synchronizing', '校时中'],
    succeeded: ['Synchronized', '校时成功'],
    failed: ['Not synchronized', '校时失败'],
  }),
  clock_broadcast: order(['Clock broadcast', '广播校时'], {
    running: ['Broadcasting', '广播中'],
    succeeded: ['Broadcast sent', '广播成功'],
    failed: ['Broadcast failed', '广播失败'],
  }),
  relay_read: reading('Relay reading', '读取继电器'),
  relay_disconnect: {
    ...order(['Disconnection', '拉闸'], {
      running: ['Disconnecting', '拉闸中'],
      succeeded: ['Disconnected, confirmed by read-back', '已拉闸，回读确认'],
      failed: ['Not disconnected', '未拉闸'],
    }),
    unknown: UNKNOWN,
  },
  relay_connect: {
    ...order(['Connection', '合闸'], {
      running: ['Connecting', '合闸中'],
      succeeded: ['Connected, confirmed by read-back', '已合闸，回读确认'],
      failed: ['Not connected', '未合闸'],
    }),
    unknown: UNKNOWN,
  },
  relay_arm: {
    ...order(['Permission to reconnect', '允许合闸'], {
      running: ['Allowing reconnection', '允许合闸中'],
      succeeded: ['Reconnection allowed, confirmed by read-back', '已允许合闸，回读确认'],
      failed: ['Reconnection not allowed', '未允许合闸'],
    }),
    unknown: UNKNOWN,
  },
  dcu_test: order(['Link test', '链路测试'], {
    running: ['Testing', '测试中'],
    succeeded: ['Test passed', '测试通过'],
    failed: ['Test failed', '测试未通过'],
  }),
  dcu_read_info: reading('DCU information reading', '读取集中器信息'),
  dcu_restart: order(['DCU restart', '集中器重启'], {
    running: ['Restarting', '重启中'],
    succeeded: ['Restarted', '已重启'],
    failed: ['Not restarted', '重启失败'],
  }),
  dcu_factory: order(['DCU factory reset', '集中器恢复出厂'], {
    running: ['Resetting', '恢复中'],
    succeeded: ['Reset to factory state', '已恢复出厂'],
    failed: ['Not reset', '恢复失败'],
  }),
  dcu_config_read: reading('DCU parameter reading', '集中器参数读取'),
  dcu_config_write: order(['DCU parameter writing', '集中器参数下发'], {
    running: ['Writing', '下发中'],
    succeeded: ['Written, confirmed by read-back', '已下发，回读确认'],
    failed: ['Not written', '下发失败'],
  }),
  dcu_tasks: {
    ...order(['DCU tasks of a plan', '下发集中器任务'], {
      running: ['Writing tasks', '下发中'],
      succeeded: ['Tasks written', '已下发'],
      failed: ['Tasks not written', '下发失败'],
    }),
    hasOwnTitle: true,
  },
  archive_compare: order(['Archive comparison', '档案比对'], {
    running: ['Comparing', '比对中'],
    succeeded: ['Compared', '已比对'],
    failed: ['Not compared', '比对失败'],
  }),
  archive_dispatch: order(['Archive dispatch', '档案下发'], {
    running: ['Dispatching', '下发中'],
    succeeded: ['Dispatched, confirmed by read-back', '已下发，回读确认'],
    failed: ['Not dispatched', '下发失败'],
  }),
  'archive_dispatch/delete': order(['Archive deletion', '档案删除'], {
    running: ['Deleting', '删除中'],
    succeeded: ['Deleted, confirmed by read-back', '已删除，回读确认'],
    failed: ['Not deleted', '删除失败'],
  }),
  'archive_dispatch/clear': order(['Archive clearing', '档案清空'], {
    running: ['Clearing', '清空中'],
    succeeded: ['Cleared, confirmed by read-back', '已清空，回读确认'],
    failed: ['Not cleared', '清空失败'],
  }),
  'archive_dispatch/plan': order(['Archive repair', '档案修复'], {
    running: ['Repairing', '修复中'],
    succeeded: ['Repaired, confirmed by read-back', '已修复，回读确认'],
    failed: ['Not repaired', '修复失败'],
  }),
  discovery: order(['Search for meters', '搜表'], {
    running: ['Searching', '搜表中'],
    succeeded: ['Search finished', '搜表完成'],
    failed: ['Search failed', '搜表失败'],
  }),
  discovery_clear: order(['Clearing of found meters', '清空搜表结果'], {
    running: ['Clearing', '清空中'],
    succeeded: ['Cleared', '已清空'],
    failed: ['Not cleared', '清空失败'],
  }),
  discovery_identify: order(['Identification of found meters', '识别搜到的电表'], {
    running: ['Identifying', '识别中'],
    succeeded: ['Identified', '已识别'],
    failed: ['Not identified', '识别失败'],
  }),
  learn: {
    ...order(['Learning of a meter type', '学习电表类型'], {
      running: ['Learning', '学习中'],
      succeeded: ['Learnt', '已学习'],
      failed: ['Not learnt', '学习失败'],
    }),
    hasOwnTitle: true,
  },
  conformance: {
    ...order(['Conformance check of a DCU type', '集中器类型一致性检查'], {
      running: ['Checking', '检查中'],
      succeeded: ['Checked', '已检查'],
      failed: ['Not checked', '检查失败'],
    }),
    hasOwnTitle: true,
  },
  topology: reading('Topology reading', '读取拓扑'),
  topology_switch: order(['Network topology switch', '网络拓扑切换'], {
    running: ['Switching', '切换中'],
    succeeded: ['Switched', '已切换'],
    failed: ['Not switched', '切换失败'],
  }),
  modules: reading('Station model reading', '读取站点模型'),
  station_ping: order(['Station ping', '站点连通测试'], {
    running: ['Pinging', '测试中'],
    succeeded: ['Answered', '有应答'],
    failed: ['No answer', '无应答'],
  }),
  station_restart: order(['Station restart', '站点重启'], {
    running: ['Restarting', '重启中'],
    succeeded: ['Restarted', '已重启'],
    failed: ['Not restarted', '重启失败'],
  }),
  upgrade: {
    ...order(['Firmware upgrade', '固件升级'], {
      running: ['Upgrading', '升级中'],
      succeeded: ['Upgraded', '升级成功'],
      failed: ['Not upgraded', '升级失败'],
    }),
    hasOwnTitle: true,
  },
  bill: {
    ...order(['Bill calculation', '计算账单'], {
      running: ['Calculating', '计算中'],
      succeeded: ['Calculated', '已计算'],
      failed: ['Not calculated', '计算失败'],
    }),
    hasOwnTitle: true,
  },
  phase: {
    ...order(['Phase identification', '相位识别'], {
      running: ['Identifying', '识别中'],
      succeeded: ['Identified', '已识别'],
      failed: ['Not identified', '识别失败'],
    }),
    hasOwnTitle: true,
  },
};

/** For a kind of a later version that this one does not know. */
const ANY_ORDER: TaskWords = order(['Task', '任务'], {
  running: ['In progress', '执行中'],
  succeeded: ['Succeeded', '成功'],
  failed: ['Failed', '失败'],
});

/** What decides the words of a task. */
export interface Ordered {
  kind: string;
  params?: Record<string, unknown>;
}

export function wordsOf({ kind, params }: Ordered): TaskWords {
  const words: Readonly<Record<string, TaskWords | undefined>> = TASK_WORDS;
  return words[`${kind}/${String(params?.['mode'])}`] ?? words[kind] ?? ANY_ORDER;
}

/** What a state of an item is called in this task. */
export function itemText(of: Ordered, state: RunItemState): Text {
  const words = wordsOf(of);
  switch (state) {
    case 'waiting':
      return words.waiting;
    case 'reading':
      return words.running;
    case 'read_success':
      return words.succeeded;
    case 'read_fail':
      return words.failed;
    case 'unknown':
      return words.unknown ?? UNKNOWN;
    case 'cancelled':
      return { en: 'Cancelled', zh: '已取消' };
    case 'expired':
      return { en: 'Expired', zh: '已过期' };
  }
}

/** Reason of an item whose command was sent and whose outcome nothing confirmed. */
export const UNKNOWN_OUTCOME = 'RELAY_UNKNOWN';

export const runItemStateOf = ({ state, reasonCode }: { state: TaskItemState; reasonCode: TaskItemRow['reasonCode'] }): RunItemState =>
  state === 'read_fail' && reasonCode === UNKNOWN_OUTCOME ? 'unknown' : state;

/** States of a task as a reader sees them. */
export type RunState = TaskState | 'unknown';

/** A task whose only failures are unknown outcomes has not failed: its outcome is unknown. */
export const runStateOf = ({ state, failed, unknown }: Pick<TaskRow, 'state' | 'failed' | 'unknown'>): RunState =>
  (state === 'failed' || state === 'partly_failed') && unknown > 0 && unknown === failed ? 'unknown' : state;

/** What a task is called: its kind, and its own name where it has one. */
export function taskName({ title, ...of }: Ordered & Pick<TaskRow, 'title'>): Text {
  const { name, hasOwnTitle } = wordsOf(of);
  if (!hasOwnTitle || title === '' || title === name.en) return name;
  return { en: `${name.en}: ${title}`, zh: `${name.zh}：${title}` };
}
