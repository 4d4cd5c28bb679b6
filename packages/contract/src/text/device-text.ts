import type { StoredKeys } from '../asset/device.ts';
import { fill, type Text } from '../core/text.ts';
import type { TaskItemState, TaskState } from '../task/task.ts';
import { itemText } from '../task/words.ts';
import { FRESHNESS_HOURS } from '../states/device.ts';
import type {
  CommunicateType,
  CommunicationMode,
  ConnectionType,
  DataChannel,
  DcuOnlineStatus,
  Freshness,
  FreshnessHours,
  InventoryState,
  MeterPhase,
  RecordedPhase,
  RelayState,
} from '../states/device.ts';

export const INVENTORY_TEXT: Record<InventoryState, Text> = {
  in_warehouse: { en: 'In warehouse', zh: '在库' },
  installed: { en: 'Installed', zh: '已安装' },
  active: { en: 'Active', zh: '已激活（运行）' },
};

export const ONLINE_TEXT: Record<DcuOnlineStatus, Text> = {
  online: { en: 'Online', zh: '在线' },
  offline: { en: 'Offline', zh: '离线' },
  unknown: { en: 'Unconfirmed', zh: '待确认' },
  never: { en: 'Never connected', zh: '从未上线' },
};

/** Label for several DCUs that are not online. */
export const ANY_NOT_ONLINE_TEXT: Text = { en: 'Not online', zh: '不在线' };
/** Reasons why a DCU that is not online cannot be read. */
export const NOT_ONLINE_TEXT: Record<Exclude<DcuOnlineStatus, 'online'>, Text> = {
  offline: { en: 'The DCU is offline', zh: '集中器离线' },
  unknown: { en: 'The head-end was restarted and the DCU has not connected again yet', zh: '主站已重启，集中器尚未重新连接' },
  never: { en: 'The DCU has never connected', zh: '集中器从未上线' },
};

const HOURS_BETWEEN: Text = { en: '{from}-{to} hours', zh: '{from}-{to}小时' };

/** Labels of the classes for given hours, so that they match the setting in force. */
export const freshnessText = ([first, second, third]: FreshnessHours): Record<Freshness, Text> => ({
  h24: fill({ en: 'Past {hours} hours', zh: '{hours}小时内' }, { hours: first }),
  h24_48: fill(HOURS_BETWEEN, { from: first, to: second }),
  h48_72: fill(HOURS_BETWEEN, { from: second, to: third }),
  over72: fill({ en: 'Over {hours} hours', zh: '超过{hours}小时' }, { hours: third }),
  none: { en: 'No communication', zh: '无通信' },
});
export const FRESHNESS_TEXT = freshnessText(FRESHNESS_HOURS);

export const RELAY_TEXT: Record<RelayState, Text> = {
  connected: { en: 'Connected', zh: '合闸' },
  disconnected: { en: 'Disconnected', zh: '拉闸' },
  ready: { en: 'Ready for reconnection', zh: '待合闸' },
  unknown: { en: 'Not read', zh: '未读取' },
};

/** Labels of the secrets of a device. */
export const KEY_TEXT: Record<keyof StoredKeys, Text> = {
  password: { en: 'Password (LLS) or secret (HLS)', zh: '密码（LLS）或密钥（HLS）' },
  masterKey: { en: 'Master key (KEK)', zh: '主密钥（KEK）' },
  ek: { en: 'Encryption key (EK)', zh: '加密密钥（EK）' },
  ak: { en: 'Authentication key (AK)', zh: '认证密钥（AK）' },
};

export const COMMUNICATION_MODE_TEXT: Record<CommunicationMode, Text> = {
  plc: { en: 'PLC', zh: '电力线载波' },
  rf: { en: 'RF', zh: '微功率无线' },
  direct: { en: 'Direct', zh: '直连' },
};

export const METER_PHASE_TEXT: Record<MeterPhase, Text> = {
  '1p2w': { en: 'Single-phase 2-wire', zh: '单相二线' },
  '3p3w': { en: 'Three-phase 3-wire', zh: '三相三线' },
  '3p4w': { en: 'Three-phase 4-wire', zh: '三相四线' },
};

export const RECORDED_PHASE_TEXT: Record<RecordedPhase, Text> = {
  a: { en: 'A', zh: 'A相' },
  b: { en: 'B', zh: 'B相' },
  c: { en: 'C', zh: 'C相' },
  abc: { en: 'ABC', zh: '三相' },
  unknown: { en: 'Unknown', zh: '未知' },
};

export const CONNECTION_TYPE_TEXT: Record<ConnectionType, Text> = {
  dial_in: { en: 'Device dials in', zh: '设备主动上线' },
  dial_out: { en: 'HES dials out', zh: '主站连接' },
};

export const COMMUNICATE_TYPE_TEXT: Record<CommunicateType, Text> = {
  g2: { en: '2G', zh: '2G' },
  g3: { en: '3G', zh: '3G' },
  g4: { en: '4G', zh: '4G' },
  nb_iot: { en: 'NB-IoT', zh: 'NB-IoT' },
  ethernet: { en: 'Ethernet', zh: '以太网' },
  fibre: { en: 'Fibre', zh: '光纤' },
};

export const DATA_CHANNEL_TEXT: Record<DataChannel, Text> = {
  plc: { en: 'PLC', zh: '电力线载波' },
  rf: { en: 'RF', zh: '微功率无线' },
  plc_rf: { en: 'PLC + RF', zh: '载波+无线' },
  rs485: { en: 'RS-485', zh: 'RS-485' },
};

/** Item states of readings. Other orders declare their own labels. */
export const TASK_ITEM_TEXT: Record<TaskItemState, Text> = {
  waiting: itemText({ kind: 'registers' }, 'waiting'),
  reading: itemText({ kind: 'registers' }, 'reading'),
  read_success: itemText({ kind: 'registers' }, 'read_success'),
  read_fail: itemText({ kind: 'registers' }, 'read_fail'),
  cancelled: itemText({ kind: 'registers' }, 'cancelled'),
  expired: itemText({ kind: 'registers' }, 'expired'),
};

export const TASK_TEXT: Record<TaskState, Text> = {
  waiting_approval: { en: 'Waiting for approval', zh: '等待审批' },
  waiting: { en: 'Waiting', zh: '等待中' },
  running: { en: 'Running', zh: '运行中' },
  paused: { en: 'Paused', zh: '已暂停' },
  finished: { en: 'Finished', zh: '已完成' },
  partly_failed: { en: 'Partly failed', zh: '部分失败' },
  failed: { en: 'Failed', zh: '失败' },
  cancelled: { en: 'Cancelled', zh: '已取消' },
  expired: { en: 'Expired', zh: '已过期' },
};
