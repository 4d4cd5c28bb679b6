import { GROUP_SOURCE_TEXT } from '../states/identity-provider.ts';
import { SENDER_KIND_TEXT } from '../delivery/kinds/every-kind.ts';
import { FEED_KIND_TEXT } from '../delivery/sender.ts';
import { DCU_PARTS } from '../asset/dcu-part.ts';
import { ACTION_TEXT } from '../core/action-text.ts';
import { ERRORS } from '../core/errors.ts';
import { REASONS } from '../core/outcome.ts';
import { LANGUAGES, LOCALES, nameText, type Text } from '../core/text.ts';
import { AREA_TEXT } from '../manager/area.ts';
import { PROGRAM_DANGER_TEXT } from '../manager/program.ts';
import type { Unit } from '../core/unit.ts';
import { LEVEL_TYPE_TEXT } from '../asset/level.ts';
import { ALARM_RULE_KIND_TEXT, ALARM_SOURCE_TEXT, MAIL_SECURITY_TEXT } from '../states/alarm.ts';
import { ABNORMAL_LEVEL_TEXT, ANOMALY_TEXT } from '../states/anomaly.ts';
import { CHAIN_BREAK_TEXT, type AuditAction } from './actions.ts';
import type { AuditRef, FieldRef } from './names.ts';
import { ANOMALY_STATE_TEXT } from '../states/bill.ts';
import { CLOCK_METHOD_TEXT } from '../states/clock.ts';
import { CERTIFICATE_KIND_TEXT, CERTIFICATE_USAGE_TEXT } from '../states/certificate.ts';
import { DCU_PARAMETERS } from '../action/dcu-parameter.ts';
import {
  COMMUNICATE_TYPE_TEXT,
  COMMUNICATION_MODE_TEXT,
  CONNECTION_TYPE_TEXT,
  DATA_CHANNEL_TEXT,
  INVENTORY_TEXT,
  KEY_TEXT,
  METER_PHASE_TEXT,
  RECORDED_PHASE_TEXT,
} from '../text/device-text.ts';
import { DISCOVERY_DECISION_TEXT, DISCOVERY_MODE_TEXT } from '../states/discovery.ts';
import { EVENT_DIRECTION_TEXT, EVENT_LOG_TEXT } from '../states/event.ts';
import { OBIS_ACCESS_TEXT, OBIS_CATEGORY_TEXT, OBIS_DECODER_TEXT, OBIS_KIND_TEXT } from '../states/obis.ts';
import { PLAN_EXECUTION_TEXT, PLAN_TARGET_TEXT, PLAN_TYPE_TEXT } from '../states/plan.ts';
import { RELAY_OPERATION_TEXT } from '../action/relay-rules.ts';
import { LOCAL_ACCOUNTS_TEXT, REQUIRED_FOR_TEXT } from '../setting/settings.ts';
import { TOPOLOGY_SWITCH_TEXT } from '../states/topology.ts';
import { COMMAND_KINDS, ORDERS } from '../orders/every-order.ts';
import {
  ADDRESSING_TEXT,
  ASSOCIATION_TEXT,
  AUTHENTICATION_TEXT,
  CIPHERING_TEXT,
  DOWNLINK_TEXT,
  FEATURE_TEXT,
  KEY_AGREEMENT_TEXT,
  METER_QUIRK_TEXT,
  PROTOCOL_TEXT,
} from '../text/type-text.ts';
import {
  FIRMWARE_STATE_TEXT,
  HALT_TEXT,
  SIGNATURE_TEXT,
  UPGRADE_JOB_TEXT,
  UPGRADE_PROTOCOL_TEXT,
  UPGRADE_TARGET_TEXT,
} from '../states/upgrade.ts';

const LANGUAGE_WORDS: Record<string, Text> = Object.fromEntries(LOCALES.map((locale) => [locale, nameText(LANGUAGES[locale].name)]));

export interface AuditField extends Text {
  /** Unit shown after numeric values. */
  unit?: Unit;
  /** Texts of the values of an enumeration. */
  words?: Readonly<Record<string, Text>>;
  /** The values are ids of this kind; the names they refer to are stored with the entry and shown instead. */
  ref?: FieldRef;
  /** Keys below the field are data such as serial numbers, codes, paths or filters; `words` applies to the values below. */
  isFree?: true;
  /** Keys below the field refer to objects of this kind, whose names are stored like those of ids. */
  keyRef?: AuditRef;
}
type Fields = Record<string, AuditField>;

const fields = <const T extends Fields>(table: T): T => table;

const PERIOD_WORDS = { day: { en: 'Day', zh: '日' }, month: { en: 'Month', zh: '月' }, custom: { en: 'Custom', zh: '自定义' } };
const FOUND_WORDS = { ...DISCOVERY_DECISION_TEXT, approve: { en: 'Approve', zh: '批准' } };
const FACTOR_WORDS = {
  'sign-in': { en: 'Signing in', zh: '登录' },
  enrolment: { en: 'Setting up the second factor', zh: '启用二次验证' },
  proof: { en: 'Re-authentication before a dangerous action', zh: '危险操作前的本人确认' },
  removal: { en: 'Removing the second factor', zh: '移除二次验证' },
  contact: { en: 'Changing phone or e-mail', zh: '修改电话或邮箱' },
  second_factor_reset: { en: 'Resetting the second factor of a user', zh: '重置用户的二次验证' },
};
const SOURCE_WORDS = {
  import: { en: 'Import', zh: '导入' },
  file: { en: 'File', zh: '文件' },
  delivered: { en: 'Default', zh: '默认值' },
};

/** Secrets of alarm channels, senders and identity providers, by their fields. */
const SECRET_WORDS = {
  secret: { en: 'Secret', zh: '密钥' },
  url: { en: 'Webhook URL', zh: '推送地址' },
  password: { en: 'Password', zh: '密码' },
  privateKey: { en: 'Private key', zh: '私钥' },
  clientKey: { en: 'Key of the client certificate', zh: '客户端证书私钥' },
};

const SOLO_LIMITS = {
  soloLimitPerHour: { en: 'Supplies an hour without approval', zh: '单人每小时户数' },
  soloFromHour: { en: 'Disconnecting without approval from, hour', zh: '单人拉闸起始时刻（时）' },
  soloToHour: { en: 'Disconnecting without approval until, hour', zh: '单人拉闸截止时刻（时）' },
};

/** Fields of users, roles and the menu. */
const PEOPLE = fields({
  username: { en: 'User name', zh: '用户名' },
  name: { en: 'Name', zh: '名称' },
  phone: { en: 'Phone', zh: '电话' },
  email: { en: 'Email', zh: '邮箱' },
  locale: { en: 'Language', zh: '语言', words: LANGUAGE_WORDS },
  theme: { en: 'Theme', zh: '主题', words: { light: { en: 'Light', zh: '浅色' }, dark: { en: 'Dark', zh: '深色' } } },
  roleIds: { en: 'Roles', zh: '角色', ref: 'role' },
  roles: { en: 'Roles', zh: '角色' },
  users: { en: 'Users', zh: '用户' },
  runs: { en: 'Runs', zh: '执行记录' },
  mustChange: { en: 'Must change password', zh: '须修改密码' },
  mustChangePassword: { en: 'Must change password', zh: '须修改密码' },
  lockReason: { en: 'Lock reason', zh: '锁定原因' },
  sessions: { en: 'Ended sessions', zh: '已结束会话' },
  failures: { en: 'Failed attempts', zh: '失败次数' },
  leftOut: { en: 'Attempts not listed', zh: '未逐条记录的次数' },
  left: { en: 'Recovery codes left', zh: '剩余恢复码' },
  for: { en: 'Asked for', zh: '用途', words: FACTOR_WORDS },
  user: { en: 'User', zh: '用户', ref: 'user' },
  limits: { en: 'Limits ID', zh: '上限编号' },
  why: { en: 'Reason', zh: '原因', words: ERRORS },
  description: { en: 'Description', zh: '描述' },
  moduleIds: { en: 'Pages', zh: '页面', ref: 'module' },
  moduleId: { en: 'Page', zh: '页面', ref: 'module' },
  actions: { en: 'Actions', zh: '操作', words: ACTION_TEXT },
  rights: { en: 'Rights', zh: '权限', words: ACTION_TEXT, isFree: true, keyRef: 'page' },
  levelIds: { en: 'Levels', zh: '层级', ref: 'network_level' },
  url: { en: 'Address', zh: '推送地址' },
  senderKind: { en: 'Kind of sender', zh: '推送方式', words: SENDER_KIND_TEXT },
  settings: { en: 'Settings', zh: '设置' },
  newSecrets: { en: 'Replaced secrets', zh: '已更换的密钥', words: SECRET_WORDS },
  contents: { en: 'Contents', zh: '推送内容', words: FEED_KIND_TEXT },
  since: { en: 'Begins again with', zh: '重放起点' },
  area: { en: 'Network area', zh: '网络范围', words: AREA_TEXT },
  areaNodes: { en: 'Nodes of the area', zh: '范围内的节点' },
  nameEn: { en: 'English name', zh: '英文名称' },
  nameZh: { en: 'Chinese name', zh: '中文名称' },
  path: { en: 'Path', zh: '路径' },
  icon: { en: 'Icon', zh: '图标' },
  visible: { en: 'Visible', zh: '显示' },
  isFixed: { en: 'Fixed', zh: '固定' },
  sort: { en: 'Order', zh: '排序' },
  added: { en: 'Added', zh: '新增' },
  deleted: { en: 'Deleted', zh: '已删除' },
  hidden: { en: 'Hidden', zh: '已隐藏' },
  token: { en: 'Token', zh: '令牌' },
  expiresAt: { en: 'Valid until', zh: '有效期至' },
  mayOrder: { en: 'May order', zh: '允许下发', words: PROGRAM_DANGER_TEXT },
  replaces: { en: 'Replaces the token', zh: '替换令牌' },
  overlapHours: { en: 'Old token stays valid, hours', zh: '旧令牌保留时长（小时）' },
  addressRanges: { en: 'Permitted addresses', zh: '允许的地址' },
});

/** Fields of master data: levels, suppliers, types, transformers, DCUs, meters. */
const ASSETS = fields({
  id: { en: 'ID', zh: '编号' },
  code: { en: 'Code', zh: '编码' },
  type: {
    en: 'Type',
    zh: '类型',
    words: { ...LEVEL_TYPE_TEXT, ...PLAN_TYPE_TEXT, ...ANOMALY_TEXT, group: { en: 'Group', zh: '分组' }, page: { en: 'Page', zh: '页面' } },
  },
  parentId: { en: 'Parent', zh: '上级', ref: 'network_level' },
  parentCode: { en: 'Parent code', zh: '上级编码' },
  depth: { en: 'Depth', zh: '层数' },
  longitude: { en: 'Longitude', zh: '经度' },
  latitude: { en: 'Latitude', zh: '纬度' },
  note: { en: 'Note', zh: '备注' },
  isWithin: { en: 'Within the own area', zh: '在管辖范围内' },
  updatedAt: { en: 'Updated', zh: '更新时间' },
  version: { en: 'Version', zh: '版本' },
  isBuiltin: { en: 'Built in', zh: '内置' },
  enabled: { en: 'Enabled', zh: '启用' },
  flagId: { en: 'FLAG ID', zh: 'FLAG 标识' },
  contact: { en: 'Contact', zh: '联系人' },
  address: { en: 'Address', zh: '地址' },
  country: { en: 'Country', zh: '国家' },
  types: { en: 'Types', zh: '类型' },
  devices: { en: 'Devices', zh: '设备' },
  supplierId: { en: 'Supplier', zh: '供应商', ref: 'supplier' },
  supplierName: { en: 'Supplier', zh: '供应商' },
  hardwareVersion: { en: 'Hardware version', zh: '硬件版本' },
  protocol: { en: 'Protocol', zh: '通信规约', words: PROTOCOL_TEXT },
  authenticationType: { en: 'Authentication type', zh: '认证方式', words: AUTHENTICATION_TEXT },
  allowedAddresses: { en: 'Allowed addresses', zh: '允许的地址' },
  downlinkModes: { en: 'Downlink', zh: '下行信道', words: DOWNLINK_TEXT },
  maxMeters: { en: 'Max meters', zh: '最大电表数' },
  heartbeatSeconds: { en: 'Heartbeat (s)', zh: '心跳周期（秒）' },
  parallelMeters: { en: 'Parallel meters', zh: '并行抄表数' },
  apduSize: { en: 'APDU size', zh: 'APDU 长度' },
  profileId: { en: 'Southbound profile', zh: '南向规约', ref: 'southbound_profile' },
  profileName: { en: 'Southbound profile', zh: '南向规约' },
  features: { en: 'Features', zh: '功能', words: FEATURE_TEXT },
  parts: { en: 'Besides forwarding', zh: '转发之外的功能', words: DCU_PARTS },
  phase: { en: 'Phase (wiring)', zh: '相位（接线方式）', words: METER_PHASE_TEXT },
  accuracy: { en: 'Accuracy', zh: '准确度等级' },
  voltage: { en: 'Voltage', zh: '电压' },
  current: { en: 'Current', zh: '电流' },
  ctMetering: { en: 'CT metering', zh: '经互感器接入' },
  communicationModes: { en: 'Comm mode', zh: '通信方式', words: COMMUNICATION_MODE_TEXT },
  hasRelay: { en: 'Relay', zh: '继电器' },
  relayMode: { en: 'Relay control mode', zh: '继电器控制模式' },
  clientSap: { en: 'Client SAP', zh: '客户端 SAP' },
  serverSap: { en: 'Server SAP', zh: '服务端 SAP' },
  physicalAddress: { en: 'HDLC physical address', zh: 'HDLC 物理地址' },
  addressing: { en: 'Addressing', zh: '寻址方式', words: ADDRESSING_TEXT },
  securitySuite: { en: 'Security suite', zh: '安全套件' },
  association: { en: 'Association', zh: '关联方式', words: ASSOCIATION_TEXT },
  ciphering: { en: 'Ciphering', zh: '报文加密', words: CIPHERING_TEXT },
  keyAgreement: { en: 'Keys of services', zh: '报文密钥', words: KEY_AGREEMENT_TEXT },
  generalSigning: { en: 'Signed services', zh: '报文签名' },
  lacksDailyFreeze: { en: 'Without daily freeze', zh: '无日冻结' },
  lpaPeriodSec: { en: 'Load profile A period (s)', zh: '负荷曲线A周期（秒）' },
  lpbPeriodSec: { en: 'Load profile B period (s)', zh: '负荷曲线B周期（秒）' },
  imageBlockSize: { en: 'Image block size', zh: '升级块大小' },
  quirks: { en: 'Peculiarities', zh: '特殊行为', words: METER_QUIRK_TEXT },
  objects: { en: 'Objects', zh: '对象' },
  forgotten: { en: 'Forgotten', zh: '已清除' },
  typeCode: { en: 'Type code', zh: '类型编码' },
  levelId: { en: 'Level', zh: '层级', ref: 'network_level' },
  levelCode: { en: 'Level code', zh: '层级编码' },
  levelName: { en: 'Level', zh: '层级' },
  level: { en: 'Level', zh: '层级' },
  feederName: { en: 'Feeder', zh: '馈线' },
  capacityKva: { en: 'Capacity', zh: '容量', unit: 'kVA' },
  ctRatio: { en: 'CT ratio', zh: '电流互感器变比' },
  ptRatio: { en: 'PT ratio', zh: '电压互感器变比' },
  publicOrPrivate: {
    en: 'Public / private',
    zh: '公变/专变',
    words: { public: { en: 'Public', zh: '公变' }, private: { en: 'Private', zh: '专变' } },
  },
  masterMeter: { en: 'Master meter', zh: '总表' },
  masterMeterId: { en: 'Master meter', zh: '总表', ref: 'meter' },
  masterMeterSn: { en: 'Master meter SN', zh: '总表表号' },
  lastLossPercent: { en: 'Loss (%)', zh: '线损率 (%)' },
  lastLossDay: { en: 'Day of the loss', zh: '线损日期' },
  dcus: { en: 'DCUs', zh: '集中器' },
  dcusOnline: { en: 'DCUs online', zh: '在线集中器' },
  transformers: { en: 'Transformers', zh: '变压器' },
  meters: { en: 'Meters', zh: '电表' },
  sn: { en: 'SN', zh: '编号' },
  sns: { en: 'SN', zh: '编号' },
  imported: { en: 'Imported', zh: '导入' },
  dcuSn: { en: 'DCU SN', zh: '集中器编号' },
  dcuTypeId: { en: 'DCU type', zh: '集中器类型', ref: 'dcu_type' },
  dcuTypeName: { en: 'DCU type', zh: '集中器类型' },
  transformerId: { en: 'Transformer', zh: '变压器', ref: 'transformer' },
  transformerName: { en: 'Transformer', zh: '变压器' },
  communicateType: { en: 'Communicate type', zh: '通信方式', words: COMMUNICATE_TYPE_TEXT },
  connectionType: { en: 'Connection type', zh: '连接方式', words: CONNECTION_TYPE_TEXT },
  host: { en: 'Host', zh: '主机地址' },
  port: { en: 'Port', zh: '端口' },
  systemTitle: { en: 'System title', zh: '系统标题' },
  dataChannel: { en: 'Data channel', zh: '数据通道', words: DATA_CHANNEL_TEXT },
  simIccid: { en: 'SIM ICCID', zh: 'SIM 卡 ICCID' },
  apn: { en: 'APN', zh: 'APN' },
  msisdn: { en: 'Phone number of the SIM', zh: 'SIM 卡号码' },
  keys: { en: 'Keys', zh: '密钥', words: KEY_TEXT },
  meterTypeId: { en: 'Meter type', zh: '电表类型', ref: 'meter_type' },
  meterTypeName: { en: 'Meter type', zh: '电表类型' },
  isMaster: { en: 'Is master', zh: '是否总表' },
  communicationMode: { en: 'Communication mode', zh: '通信模式', words: COMMUNICATION_MODE_TEXT },
  recordedPhase: { en: 'Recorded phase', zh: '档案相位', words: RECORDED_PHASE_TEXT },
  isGenerator: { en: 'Generates', zh: '发电用户' },
  customerNo: { en: 'Customer no.', zh: '户号' },
  customerName: { en: 'Customer', zh: '用户名称' },
  inventoryState: { en: 'Inventory', zh: '库存状态', words: INVENTORY_TEXT },
  oldSn: { en: 'Removed meter', zh: '拆除电表' },
  newSn: { en: 'Installed meter', zh: '安装电表' },
  finalKwh: { en: 'Final reading (kWh)', zh: '拆表示数（kWh）' },
  initialKwh: { en: 'Initial reading (kWh)', zh: '装表示数（kWh）' },
  final: { en: 'Final reading (kWh)', zh: '拆表示数（kWh）' },
  initial: { en: 'Initial reading (kWh)', zh: '装表示数（kWh）' },
  plusT1: { en: '+ Tariff 1', zh: '正向费率1' },
  plusT2: { en: '+ Tariff 2', zh: '正向费率2' },
  plusT3: { en: '+ Tariff 3', zh: '正向费率3' },
  plusT4: { en: '+ Tariff 4', zh: '正向费率4' },
  minusT1: { en: '− Tariff 1', zh: '反向费率1' },
  minusT2: { en: '− Tariff 2', zh: '反向费率2' },
  minusT3: { en: '− Tariff 3', zh: '反向费率3' },
  minusT4: { en: '− Tariff 4', zh: '反向费率4' },
  at: { en: 'Time', zh: '时间' },
  phases: { en: 'Phases', zh: '相位', isFree: true },
  found: { en: 'Found', zh: '搜到' },
  minutes: { en: 'Minutes', zh: '时长（分钟）' },
  mode: { en: 'Communication mode', zh: '通信模式', words: DISCOVERY_MODE_TEXT },
});

/** Fields of orders, readings and plans. */
const WORK = fields({
  reason: { en: 'Reason', zh: '原因', words: REASONS },
  reasons: { en: 'Reasons', zh: '原因' },
  decision: { en: 'Decision', zh: '处理', words: FOUND_WORDS },
  taskId: { en: 'Task', zh: '任务', ref: 'task' },
  taskItemId: { en: 'Item of the task', zh: '任务项' },
  originId: { en: 'Earlier task', zh: '原任务', ref: 'task' },
  meterId: { en: 'Meter', zh: '电表', ref: 'meter' },
  meterIds: { en: 'Meters', zh: '电表', ref: 'meter' },
  dcuIds: { en: 'DCUs', zh: '集中器', ref: 'dcu' },
  planId: { en: 'Collect Plan', zh: '采集方案', ref: 'collect_plan' },
  kind: { en: 'Kind', zh: '种类', words: { ...OBIS_KIND_TEXT, ...PERIOD_WORDS, ...PLAN_TYPE_TEXT } },
  title: { en: 'Title', zh: '标题' },
  items: { en: 'Items', zh: '抄读项' },
  total: { en: 'Total', zh: '合计' },
  done: { en: 'Done', zh: '完成' },
  only: { en: 'Devices', zh: '设备', words: { all: { en: 'All', zh: '全部' }, failed: { en: 'Failed', zh: '失败' } } },
  meterSn: { en: 'Meter SN', zh: '电表编号' },
  traceId: { en: 'Exchange', zh: '通信报文' },
  exchangedAt: { en: 'Time of the exchange', zh: '通信时间' },
  chain: { en: 'Log', zh: '日志', words: { audit: { en: 'Audit log', zh: '审计日志' }, commands: { en: 'Command log', zh: '命令日志' } } },
  broken: { en: 'Finding', zh: '结果', words: CHAIN_BREAK_TEXT },
  anchoredRow: { en: 'Newest row stored outside the database', zh: '库外留存的最新记录' },
  foundRow: { en: 'Newest row in the database', zh: '库内最新记录' },
  fromKey: { en: 'Former key', zh: '原密钥' },
  toKey: { en: 'New key', zh: '新密钥' },
  auditRow: { en: 'Newest audit row under the former key', zh: '原密钥下最新审计记录' },
  commandRow: { en: 'Newest command row under the former key', zh: '原密钥下最新命令记录' },
  commandHash: { en: 'Hash of that command row', zh: '该命令记录的哈希' },
  resealed: { en: 'Secrets sealed again', zh: '重新密封的密钥数' },
  mac: { en: 'MAC', zh: 'MAC地址' },
  count: { en: 'Count', zh: '数量' },
  capture: { en: 'Capture', zh: '采集开关' },
  pollMin: { en: 'Every, min', zh: '周期（分钟）' },
  depthDays: { en: 'Keep each reading, days', zh: '保留每次快照（天）' },
  operation: {
    en: 'Operation',
    zh: '操作',
    words: {
      ...RELAY_OPERATION_TEXT,
      ...TOPOLOGY_SWITCH_TEXT,
      sync: { en: 'Synchronize', zh: '校时' },
      broadcast: CLOCK_METHOD_TEXT.broadcast,
    },
  },
  hours: { en: 'Hours', zh: '小时' },
  direction: {
    en: 'Direction',
    zh: '方向',
    words: { ...EVENT_DIRECTION_TEXT, down: { en: 'Down', zh: '下行' }, up: { en: 'Up', zh: '上行' } },
  },
  removed: { en: 'Deleted', zh: '已删除' },
  frame: { en: 'Frame', zh: '报文' },
  isOn: { en: 'On', zh: '开启' },
  meter: { en: 'Meter', zh: '电表' },
  ids: { en: 'IDs', zh: '编号' },
  changed: { en: 'Changed', zh: '已变更' },
  readings: { en: 'Readings', zh: '抄表数据' },
  date: { en: 'Date', zh: '日期' },
  day: { en: 'Day', zh: '日期' },
  rollover: { en: 'Register rolled over', zh: '计度器翻转' },
  ePlus: { en: 'Total Active Energy + (kWh)', zh: '正向有功总电能 (kWh)' },
  ePlusT1: { en: 'Tariff 1 + (kWh)', zh: '正向费率1 (kWh)' },
  ePlusT2: { en: 'Tariff 2 + (kWh)', zh: '正向费率2 (kWh)' },
  ePlusT3: { en: 'Tariff 3 + (kWh)', zh: '正向费率3 (kWh)' },
  ePlusT4: { en: 'Tariff 4 + (kWh)', zh: '正向费率4 (kWh)' },
  eMinus: { en: 'Total Active Energy − (kWh)', zh: '反向有功总电能 (kWh)' },
  eMinusT1: { en: 'Tariff 1 − (kWh)', zh: '反向费率1 (kWh)' },
  eMinusT2: { en: 'Tariff 2 − (kWh)', zh: '反向费率2 (kWh)' },
  eMinusT3: { en: 'Tariff 3 − (kWh)', zh: '反向费率3 (kWh)' },
  eMinusT4: { en: 'Tariff 4 − (kWh)', zh: '反向费率4 (kWh)' },
  profile: { en: 'Profile', zh: '曲线', words: PLAN_TYPE_TEXT },
  from: { en: 'From', zh: '起始', words: SOURCE_WORDS },
  to: { en: 'To', zh: '截止' },
  schedule: { en: 'Schedule', zh: '执行计划' },
  targetKind: { en: 'Read from', zh: '采集范围', words: { ...PLAN_TARGET_TEXT, ...UPGRADE_TARGET_TEXT } },
  targetIds: { en: 'Targets', zh: '采集对象', ref: 'targets' },
  lookBackDays: { en: 'Look-back (days)', zh: '回溯天数' },
  seed: { en: 'Seed of the sample', zh: '抽样种子' },
  execution: { en: 'Execution', zh: '执行方式', words: PLAN_EXECUTION_TEXT },
  retryCount: { en: 'Retries', zh: '重试次数' },
  retryIntervalMinutes: { en: 'Retry interval (min)', zh: '重试间隔（分钟）' },
  windowFrom: { en: 'Time window from', zh: '采集时间窗开始' },
  windowTo: { en: 'Time window to', zh: '采集时间窗结束' },
  priority: { en: 'Priority', zh: '优先级' },
  key: { en: 'Key', zh: '标识' },
  obis: { en: 'OBIS code', zh: 'OBIS码' },
  classId: { en: 'Class', zh: '类' },
  attribute: { en: 'Attribute / method', zh: '属性/方法' },
  dataType: { en: 'Data type', zh: '数据类型' },
  unit: {
    en: 'Unit',
    zh: '单位',
    words: { devices: { en: 'Devices', zh: '台' }, percent: { en: '% of all', zh: '% 全部' } },
  },
  scaler: { en: 'Scaler', zh: '倍率' },
  precision: { en: 'Decimals', zh: '小数位' },
  category: { en: 'Category', zh: '类别', words: OBIS_CATEGORY_TEXT },
  access: { en: 'Access', zh: '访问权限', words: OBIS_ACCESS_TEXT },
  decoder: { en: 'Decoder', zh: '解码方式', words: OBIS_DECODER_TEXT },
  enumMap: { en: 'Words of values', zh: '数值含义', isFree: true },
  incidentIds: { en: 'Incident IDs', zh: '事件组编号' },
  log: { en: 'Log', zh: '日志', words: EVENT_LOG_TEXT },
  until: { en: 'Until', zh: '截止' },
  deviceSn: { en: 'SN', zh: '设备编号' },
  abnormalLevel: { en: 'Abnormal level', zh: '异常等级', words: ABNORMAL_LEVEL_TEXT },
  pairCode: { en: 'Paired code', zh: '配对代码' },
  list: { en: 'List', zh: '列表' },
  format: { en: 'Format', zh: '格式' },
  filter: { en: 'Filter', zh: '筛选', isFree: true },
  chosen: { en: 'Chosen', zh: '已选' },
  file: { en: 'File', zh: '文件' },
  new: { en: 'New', zh: '新增' },
  update: { en: 'Updated', zh: '更新' },
  unchanged: { en: 'Unchanged', zh: '无变化' },
  errors: { en: 'Errors', zh: '错误' },
  workOrder: { en: 'Work order', zh: '工单号' },
  kw: { en: 'Load', zh: '负荷', unit: 'kW' },
  needsApproval: { en: 'Needs approval', zh: '须审批' },
  maxMetersPerHour: { en: 'Supplies an hour', zh: '每小时户数' },
  maxKwPerHour: { en: 'Load an hour', zh: '每小时负荷', unit: 'kW' },
  maxMetersPerDay: { en: 'Supplies in 24 hours', zh: '24小时户数' },
  ...SOLO_LIMITS,
  // Names in entries of earlier versions; audit rows are chained by hash, so a migration cannot rewrite them.
  aloneUpTo: SOLO_LIMITS.soloLimitPerHour,
  aloneFromHour: SOLO_LIMITS.soloFromHour,
  aloneToHour: SOLO_LIMITS.soloToHour,
  spreadS: { en: 'Spread of a batch', zh: '批量随机分散', unit: 's' },
  inForce: { en: 'In force', zh: '生效时间', words: { now: { en: 'Immediately', zh: '立即' } } },
  changedBy: { en: 'Changed by', zh: '修改人', ref: 'user' },
  values: { en: 'Parameters', zh: '参数' },
  method: { en: 'Method', zh: '方式', words: { ...CLOCK_METHOD_TEXT, auto: { en: 'Automatic', zh: '自动' } } },
  isConfirmed: { en: 'Confirmed', zh: '已确认' },
  requestedBy: { en: 'Requested by', zh: '申请人' },
  comment: { en: 'Comment', zh: '意见' },
  validFrom: { en: 'Valid from', zh: '生效日期' },
  currency: { en: 'Currency', zh: '币种' },
  plus: { en: 'Import', zh: '正向' },
  minus: { en: 'Export', zh: '反向' },
  upperKwh: { en: 'Upper limit (kWh)', zh: '上限 (kWh)' },
  lowerKwh: { en: 'Lower limit (kWh)', zh: '下限 (kWh)' },
  state: { en: 'State', zh: '状态', words: { ...INVENTORY_TEXT, ...ANOMALY_STATE_TEXT, ...FIRMWARE_STATE_TEXT } },
});

/** Fields of firmware and upgrades. */
const UPGRADES = fields({
  firmware: { en: 'Firmware', zh: '固件' },
  firmwareId: { en: 'Firmware', zh: '固件', ref: 'firmware' },
  sha256: { en: 'SHA-256', zh: 'SHA-256' },
  size: { en: 'Size', zh: '大小' },
  signature: { en: 'Signature', zh: '签名', words: SIGNATURE_TEXT },
  upgradeProtocol: { en: 'Upgrade protocol', zh: '升级协议', words: UPGRADE_PROTOCOL_TEXT },
  typeIds: { en: 'Types', zh: '类型', ref: 'types' },
  imageIdentifier: { en: 'Image identifier', zh: '镜像标识' },
  blockSize: { en: 'Block size (byte)', zh: '块大小（字节）' },
  upgradeReason: { en: 'Upgrade reason', zh: '升级原因' },
  upgradeFile: { en: 'Upgrade file', zh: '升级文件' },
  fileProvider: { en: 'File provider', zh: '文件提供者' },
  fromVersions: { en: 'From versions', zh: '可升级版本' },
  revision: { en: 'Revision', zh: '修订' },
  mayApprove: { en: 'May be approved by the user who changed it', zh: '修改人可批准' },
  algorithm: { en: 'Algorithm', zh: '算法' },
  fingerprint: { en: 'Fingerprint', zh: '指纹' },
  targets: { en: 'Targets', zh: '目标数' },
  rings: { en: 'Rings', zh: '批次' },
  ring: { en: 'Ring', zh: '批次' },
  continueBy: {
    en: 'After a healthy ring',
    zh: '批次正常完成后',
    words: { itself: { en: 'Continue automatically', zh: '自动继续' }, hand: { en: 'Wait for approval', zh: '等待人工批准' } },
  },
  watchMinutes: { en: 'Watch each ring for (min)', zh: '每批观察时间（分钟）' },
  window: { en: 'Window', zh: '升级时段' },
  concurrency: { en: 'At the same time', zh: '并发数' },
  perDcu: { en: 'Of one DCU', zh: '每台集中器' },
  haltRule: { en: 'Halt when', zh: '中止条件' },
  failPercent: { en: 'Failed, more than (%)', zh: '失败率超过 (%)' },
  silentPercent: { en: 'Silent, more than (%)', zh: '无应答率超过 (%)' },
  readDropPercent: { en: 'Reading success drops by (%)', zh: '抄表成功率下降超过 (%)' },
  activateAt: { en: 'Activate at', zh: '激活时间' },
  leaveOutRefused: { en: 'Leave out the refused', zh: '排除不可升级的设备' },
  cause: { en: 'Cause', zh: '原因', words: HALT_TEXT },
  of: { en: 'Of', zh: '总数' },
  percent: { en: 'Share', zh: '占比', unit: '%' },
  limit: { en: 'Limit', zh: '限值', unit: '%' },
  records: { en: 'Devices', zh: '设备数' },
});

/** Fields of settings, with the labels of the settings page. */
const SETTING_FIELDS = fields({
  value: { en: 'Value', zh: '值' },
  plcSnrDb: { en: 'PLC, lower bounds (dB)', zh: '载波 下限 (dB)' },
  rfRssiDbm: { en: 'RF, lower bounds (dBm)', zh: '无线 下限 (dBm)' },
  clockFineS: { en: 'Clock is fine up to (s)', zh: '时钟正常 上限（秒）' },
  clockAdjustS: { en: 'Clock is adjusted up to (s)', zh: '时钟微调 上限（秒）' },
  clockSetS: { en: 'Clock is set up to (s)', zh: '时钟直接设置 上限（秒）' },
  unbalanceWarningPercent: { en: 'Current unbalance, warning (%)', zh: '电流不平衡 一般 (%)' },
  unbalanceSeriousPercent: { en: 'Current unbalance, serious (%)', zh: '电流不平衡 严重 (%)' },
  voltageAbovePercent: { en: 'Voltage above nominal (%)', zh: '电压上偏差 (%)' },
  voltageBelowPercent: { en: 'Voltage below nominal (%)', zh: '电压下偏差 (%)' },
  suddenIncreaseFactor: { en: 'Sudden increase, times the median', zh: '用电突增（倍数）' },
  suddenDecreaseFactor: { en: 'Sudden decrease, times the median', zh: '用电突减（倍数）' },
  suddenMinimumKwh: { en: 'Sudden change, at least (kWh)', zh: '突变最小电量 (kWh)' },
  reverseMinimumKwh: { en: 'Reverse energy, at least (kWh)', zh: '反向最小电量 (kWh)' },
  upperLimitFactor: { en: 'Upper limit, multiple of the maximum by nameplate', zh: '上限（铭牌最大日电量的倍数）' },
  lowerLimitDays: { en: 'Lower limit, days in a row', zh: '低电量连续天数' },
  lossPercent: { en: 'Line loss, limits (%)', zh: '线损 上限 (%)' },
  completenessFinePercent: { en: 'Completeness is fine from (%)', zh: '完整率 良好 下限 (%)' },
  completenessTolerablePercent: { en: 'Completeness is tolerable from (%)', zh: '完整率 可接受 下限 (%)' },
  dailyYears: { en: 'Daily freezes (years)', zh: '日冻结（年）' },
  profileMonths: { en: 'Load profiles (months)', zh: '负荷曲线（个月）' },
  eventYears: { en: 'Events (years)', zh: '事件（年）' },
  auditYears: { en: 'Audit and command logs (years)', zh: '审计与命令日志（年）' },
  taskDays: { en: 'Ended tasks (days)', zh: '已结束任务（天）' },
  traceDays: { en: 'Frames of readings (days)', zh: '抄读报文（天）' },
  frameLogDays: { en: 'DCU frame logs (days)', zh: '集中器报文日志（天）' },
  sessionDays: { en: 'Ended sessions (days)', zh: '已结束会话（天）' },
  outboxDays: { en: 'Announcements for other systems (days)', zh: '对外发布记录（天）' },
  servers: { en: 'Servers', zh: '服务器' },
  bindDn: { en: 'Account that searches (DN)', zh: '查询账号 (DN)' },
  baseDn: { en: 'Base of persons (DN)', zh: '用户所在节点 (DN)' },
  userFilter: { en: 'Filter of persons', zh: '用户过滤器' },
  idAttribute: { en: 'Attribute of the permanent name', zh: '永久标识属性' },
  groupSource: { en: 'Groups of a person', zh: '用户所属组', words: GROUP_SOURCE_TEXT },
  groupBaseDn: { en: 'Base of groups (DN)', zh: '组所在节点 (DN)' },
  allowed: { en: 'Sign-in by password of this system', zh: '本系统密码登录', words: LOCAL_ACCOUNTS_TEXT },
  emergencyUser: { en: 'Emergency account', zh: '应急账号' },
  requiredFor: { en: 'Second factor required for', zh: '须启用二次验证的用户', words: REQUIRED_FOR_TEXT },
});

/** Fields of alarms, their rules, channels and recipients. */
const ALARMS = fields({
  alarmKind: { en: 'Kind', zh: '类型', words: ALARM_RULE_KIND_TEXT },
  sources: { en: 'Sources', zh: '来源', words: ALARM_SOURCE_TEXT },
  levels: { en: 'Abnormal levels', zh: '异常等级', words: ABNORMAL_LEVEL_TEXT },
  codes: { en: 'Event codes', zh: '事件代码' },
  activeFrom: { en: 'Active from', zh: '生效开始时间' },
  activeTo: { en: 'Active until', zh: '生效结束时间' },
  quietFrom: { en: 'Quiet from', zh: '静默开始时间' },
  quietTo: { en: 'Quiet until', zh: '静默结束时间' },
  quietBreaks: { en: 'Levels that break through', zh: '静默期仍通知的等级', words: ABNORMAL_LEVEL_TEXT },
  gatherSeconds: { en: 'Count before the first message (s)', zh: '首条消息前的统计时间（秒）' },
  calmMinutes: { en: 'Closed after calm (min)', zh: '平静多久后结束（分钟）' },
  repeatMinutes: { en: 'Repeat every (min)', zh: '重复间隔（分钟）' },
  digestAt: { en: 'Time of the digest', zh: '摘要发送时间' },
  steps: { en: 'Steps', zh: '步骤' },
  afterMinutes: { en: 'After (min)', zh: '延迟（分钟）' },
  closedAlarms: { en: 'Closed alarms', zh: '已结束的告警' },
  channelName: { en: 'Channel', zh: '渠道' },
  recipients: { en: 'Recipients', zh: '接收人' },
  recipient: { en: 'Recipient', zh: '接收人' },
  target: { en: 'Server', zh: '服务器' },
  security: { en: 'Encryption', zh: '加密方式', words: MAIL_SECURITY_TEXT },
  ca: { en: 'Authority of the certificate', zh: '证书颁发机构' },
  template: { en: 'Template', zh: '模板' },
  consoleUrl: { en: 'Address of the console', zh: '系统访问地址' },
});

/** Fields of identity providers. */
const PROVIDERS = fields({
  isEnabled: { en: 'Offered at sign-in', zh: '在登录页提供' },
  issuer: { en: 'Issuer', zh: '签发方' },
  clientId: { en: 'Client ID', zh: '客户端标识' },
  scopes: { en: 'Scopes', zh: '授权范围' },
  groupsClaim: { en: 'Claim of groups', zh: '组声明' },
  usernameClaim: { en: 'Claim of the user name', zh: '用户名声明' },
  signInAcr: { en: 'Assurance at sign-in (acr)', zh: '登录验证等级 (acr)' },
  proofAcr: { en: 'Assurance of own proof (acr)', zh: '本人确认验证等级 (acr)' },
  sessionHours: { en: 'Longest session (h)', zh: '会话最长时间（小时）' },
  groups: { en: 'Roles by group', zh: '组与角色' },
  provider: { en: 'Identity Provider', zh: '身份提供方' },
});

/** Labels of the fields in the details of entries, unless an entity or an action has its own label. */
export const AUDIT_FIELD_TEXT: Readonly<Fields> = {
  ...SETTING_FIELDS,
  ...PEOPLE,
  ...ASSETS,
  ...WORK,
  ...UPGRADES,
  ...ALARMS,
  ...PROVIDERS,
};

const parametersAt = (path: string): Fields =>
  Object.fromEntries(
    DCU_PARAMETERS.map(({ key, text, choices }) => [`${path}${key}`, choices === undefined ? text : { ...text, words: choices }]),
  );
const STATE_BEFORE = { en: 'State before', zh: '原状态' };
const SOURCE = { from: { en: 'From', zh: '来源', words: SOURCE_WORDS } };
const OBIS_KEYS = { key: { en: 'Reading item key', zh: '抄读项标识' }, keys: { en: 'Reading item keys', zh: '抄读项标识' } };
const PERSON = { name: { en: 'Name', zh: '姓名' }, phone: { en: 'Phone', zh: '手机号码' } };
const EVENT = { code: { en: 'Code', zh: '事件代码' } };
const TASK_KIND = {
  en: 'Kind',
  zh: '种类',
  words: Object.fromEntries(Object.entries(ORDERS).map(([kind, { words }]) => [kind, words.name])),
};
const CERTIFICATE = {
  owner: { en: 'Belongs to', zh: '归属', words: CERTIFICATE_KIND_TEXT },
  subject: { en: 'Subject', zh: '主体' },
  usages: { en: 'Usage', zh: '用途', words: CERTIFICATE_USAGE_TEXT },
  serialNumber: { en: 'Certificate number', zh: '证书序列号' },
  validTo: { en: 'Valid until', zh: '到期日期' },
};
const FIRMWARE = {
  targetKind: { en: 'Target kind', zh: '升级对象', words: UPGRADE_TARGET_TEXT },
  size: { en: 'Size (B)', zh: '大小 (B)' },
};

/** Labels by entity and path, for field names that have another meaning there. */
export const AUDIT_FIELD_OF_ENTITY: Readonly<Record<string, Fields>> = {
  setting: { 'value.hours': { en: 'Limits (h)', zh: '上限（小时）' } },
  user: PERSON,
  module: { ...SOURCE, parentId: { en: 'Parent', zh: '上级', ref: 'module' } },
  network_level: SOURCE,
  supplier: SOURCE,
  certificate: CERTIFICATE,
  transformer: SOURCE,
  dcu_type: SOURCE,
  meter_type: SOURCE,
  meter_template: OBIS_KEYS,
  obis_code: OBIS_KEYS,
  task: { kind: TASK_KIND },
  alarm_channel: { from: { en: 'Sender address', zh: '发件地址' } },
  event: EVENT,
  event_code: EVENT,
  firmware: FIRMWARE,
  upgrade_job: { from: { ...STATE_BEFORE, words: UPGRADE_JOB_TEXT } },
  anomaly: { from: { ...STATE_BEFORE, words: ANOMALY_STATE_TEXT } },
};
export const AUDIT_FIELD_OF_ACTION: Readonly<Partial<Record<AuditAction, Fields>>> = {
  command_ordered: Object.assign({}, ...COMMAND_KINDS.map((kind) => ORDERS[kind].command?.fields)) as Fields, // as: labels are texts
  dcu_capture_set: {
    level: {
      en: 'Capture',
      zh: '捕获',
      words: { off: { en: 'Off', zh: '关闭' }, errors: { en: 'Errors', zh: '仅错误' }, all: { en: 'All', zh: '全部' } },
    },
  },
  meter_state_changed: { from: { en: 'Before', zh: '变更前' } },
  meter_limit_changed: { from: { en: 'Before', zh: '变更前' }, to: { en: 'After', zh: '变更后' } },
  upgrade_retried: {
    from: {
      en: 'From',
      zh: '起点',
      words: { resume: { en: 'the block each is at', zh: '从各设备已传的块继续' }, start: { en: 'the start', zh: '从头开始' } },
    },
  },
  relay_blocked: { kind: TASK_KIND },
  dcu_config_written: parametersAt(''),
  dcu_config_planned: parametersAt(''),
  dcu_template_saved: parametersAt('values.'),
};
