import { z } from 'zod';
import type { Text } from '../core/text.ts';

/** Steps of a firmware upgrade. @spec seed §4 */
export const upgradeState = z.enum([
  'idle',
  'check_version',
  'download_file',
  'enable_translate',
  'set_block_size',
  'translate_init',
  'start_translate',
  'translating',
  'check_fail_block',
  'check_image',
  'activate_image',
  'no_need_complete',
  'send_upgrade_rt',
  'send_upgrade_sta',
  'wait_update',
  'updating',
  'update_success',
  'update_fail',
  'complete',
  'error',
]);
export type UpgradeState = z.infer<typeof upgradeState>;

export const UPGRADE_TEXT: Record<UpgradeState, Text> = {
  idle: { en: 'Idle', zh: '空闲' },
  check_version: { en: 'Check version', zh: '校验版本' },
  download_file: { en: 'Download file', zh: '下载文件' },
  enable_translate: { en: 'Enable translate', zh: '启用传输' },
  set_block_size: { en: 'Set block size', zh: '设置块大小' },
  translate_init: { en: 'Translate init', zh: '传输初始化' },
  start_translate: { en: 'Start translate', zh: '开始传输' },
  translating: { en: 'Translating', zh: '传输中' },
  check_fail_block: { en: 'Check fail block', zh: '检查失败块' },
  check_image: { en: 'Check image', zh: '校验镜像' },
  activate_image: { en: 'Activate image', zh: '激活镜像' },
  no_need_complete: { en: 'No need complete', zh: '无需升级' },
  send_upgrade_rt: { en: 'Send upgrade RT', zh: '下发路由模块升级' },
  send_upgrade_sta: { en: 'Send upgrade STA', zh: '下发STA升级' },
  wait_update: { en: 'Wait update', zh: '等待更新' },
  updating: { en: 'Updating', zh: '更新中' },
  update_success: { en: 'Update success', zh: '更新成功' },
  update_fail: { en: 'Update fail', zh: '更新失败' },
  complete: { en: 'Complete', zh: '完成' },
  error: { en: 'Error', zh: '错误' },
};

/** The same in plain words, as screens show them; the word of the specification is their hint. */
export const UPGRADE_PLAIN_TEXT: Record<UpgradeState, Text> = {
  idle: { en: 'Waiting', zh: '等待' },
  check_version: { en: 'Checking version', zh: '校验版本' },
  download_file: { en: 'Downloading file', zh: '下载文件' },
  enable_translate: { en: 'Enabling transfer', zh: '启用传输' },
  set_block_size: { en: 'Setting block size', zh: '设置块大小' },
  translate_init: { en: 'Initiating transfer', zh: '传输初始化' },
  start_translate: { en: 'Starting transfer', zh: '开始传输' },
  translating: { en: 'Transferring', zh: '传输中' },
  check_fail_block: { en: 'Checking missing blocks', zh: '检查缺失块' },
  check_image: { en: 'Verifying image', zh: '校验镜像' },
  activate_image: { en: 'Activating', zh: '激活镜像' },
  no_need_complete: { en: 'Up to date', zh: '无需升级' },
  send_upgrade_rt: { en: 'Upgrading route module', zh: '下发路由模块升级' },
  send_upgrade_sta: { en: 'Upgrading station module', zh: '下发站点模块升级' },
  wait_update: { en: 'Waiting for restart', zh: '等待更新' },
  updating: { en: 'Restarting', zh: '更新中' },
  update_success: { en: 'Updated', zh: '更新成功' },
  update_fail: { en: 'Failed', zh: '失败' },
  complete: { en: 'Completed', zh: '完成' },
  error: { en: 'Failed with an error', zh: '出错' },
};

/** Permitted transitions, which the engine follows and the console draws. Each running state may also end in `error`. */
export const UPGRADE_NEXT: Record<UpgradeState, readonly UpgradeState[]> = {
  idle: ['check_version', 'error'],
  check_version: ['download_file', 'no_need_complete', 'error'],
  download_file: ['enable_translate', 'error'],
  enable_translate: ['set_block_size', 'error'],
  set_block_size: ['translate_init', 'error'],
  translate_init: ['start_translate', 'error'],
  // Back to `enable_translate`: the device lost its image in a power failure.
  start_translate: ['translating', 'enable_translate', 'error'],
  translating: ['check_fail_block', 'enable_translate', 'error'],
  check_fail_block: ['translating', 'check_image', 'error'],
  check_image: ['activate_image', 'send_upgrade_rt', 'send_upgrade_sta', 'error'],
  activate_image: ['wait_update', 'update_fail', 'error'],
  send_upgrade_rt: ['wait_update', 'update_fail', 'error'],
  send_upgrade_sta: ['wait_update', 'update_fail', 'error'],
  wait_update: ['updating', 'error'],
  updating: ['update_success', 'update_fail', 'error'],
  update_success: ['complete', 'error'],
  update_fail: ['idle'],
  no_need_complete: [],
  complete: [],
  error: ['idle'],
};

/** Final states; only a retry ordered by a user leaves them. */
export const UPGRADE_ENDS: readonly UpgradeState[] = ['no_need_complete', 'complete', 'update_fail', 'error'];
/** Final states that permit a retry. */
export const UPGRADE_FAILURES: readonly UpgradeState[] = ['update_fail', 'error'];

/** Segments of the progress bar. A state belongs to one phase, or to none before the first and after the last. */
export const UPGRADE_PHASES = [
  { key: 'prepare', en: 'Prepare', zh: '准备', states: ['check_version', 'download_file'] },
  { key: 'set_up', en: 'Set up', zh: '设置', states: ['enable_translate', 'set_block_size', 'translate_init'] },
  { key: 'transfer', en: 'Transfer', zh: '传输', states: ['start_translate', 'translating'] },
  { key: 'verify', en: 'Verify', zh: '校验', states: ['check_fail_block', 'check_image'] },
  {
    key: 'activate',
    en: 'Activate',
    zh: '激活',
    states: ['activate_image', 'send_upgrade_rt', 'send_upgrade_sta', 'wait_update', 'updating'],
  },
] as const satisfies readonly (Text & { key: string; states: readonly UpgradeState[] })[];

/** Target of an upgrade: the DCU, its route module, the modules of its meters, or meters. */
export const UPGRADE_TARGETS = ['dcu', 'rt', 'sta', 'meter'] as const;
export const upgradeTarget = z.enum(UPGRADE_TARGETS);
export type UpgradeTarget = z.infer<typeof upgradeTarget>;
export const UPGRADE_TARGET_TEXT: Record<UpgradeTarget, Text> = {
  dcu: { en: 'DCU', zh: '集中器' },
  rt: { en: 'Route module (RT)', zh: '路由模块（RT）' },
  sta: { en: 'Station module (STA)', zh: '站点模块（STA）' },
  meter: { en: 'Meter', zh: '电表' },
};

export const upgradeProtocol = z.enum(['dlms_image', 'dlms_image_via_dcu', 'vendor_file_pull']);
export type UpgradeProtocol = z.infer<typeof upgradeProtocol>;
export const UPGRADE_PROTOCOL_TEXT: Record<UpgradeProtocol, Text> = {
  dlms_image: { en: 'DLMS image transfer', zh: 'DLMS镜像传输' },
  dlms_image_via_dcu: { en: 'Image transfer via DCU', zh: '经集中器镜像传输' },
  vendor_file_pull: { en: 'Vendor file pull', zh: '厂商文件拉取' },
};

export const FIRMWARE_STATES = ['draft', 'approved', 'retired'] as const;
export const firmwareState = z.enum(FIRMWARE_STATES);
export type FirmwareState = z.infer<typeof firmwareState>;
export const FIRMWARE_STATE_TEXT: Record<FirmwareState, Text> = {
  draft: { en: 'Draft', zh: '草稿' },
  approved: { en: 'Approved', zh: '已批准' },
  retired: { en: 'Retired', zh: '已停用' },
};

export const signatureState = z.enum(['none', 'valid', 'no_key']);
export type SignatureState = z.infer<typeof signatureState>;
export const SIGNATURE_TEXT: Record<SignatureState, Text> = {
  none: { en: 'Not signed', zh: '未签名' },
  valid: { en: 'Signature valid', zh: '签名有效' },
  no_key: { en: "Signed, the manufacturer's key is missing", zh: '已签名，缺少厂商公钥' },
};

export const UPGRADE_JOB_STATES = ['running', 'waiting_ring', 'paused', 'halted', 'finished', 'stopped'] as const;
export const upgradeJobState = z.enum(UPGRADE_JOB_STATES);
export type UpgradeJobState = z.infer<typeof upgradeJobState>;
export const UPGRADE_JOB_TEXT: Record<UpgradeJobState, Text> = {
  running: { en: 'Running', zh: '执行中' },
  waiting_ring: { en: 'Ring done, waiting', zh: '本批次完成，待继续' },
  paused: { en: 'Paused', zh: '已暂停' },
  halted: { en: 'Halted', zh: '已中止' },
  finished: { en: 'Finished', zh: '已完成' },
  stopped: { en: 'Stopped', zh: '已停止' },
};
/** Final states of a job. */
export const UPGRADE_JOB_ENDS: readonly UpgradeJobState[] = ['finished', 'stopped'];

/** Broadcast of one image to all meters of a ring at one DCU: gathering the meters, loading the image into the DCU, sending it. */
export const broadcastState = z.enum(['gathering', 'loading', 'sending', 'done', 'failed']);
export type BroadcastState = z.infer<typeof broadcastState>;

/** Causes of an automatic halt. */
export const haltCause = z.enum(['failures', 'silence', 'read_success']);
export type HaltCause = z.infer<typeof haltCause>;
export const HALT_TEXT: Record<HaltCause, Text> = {
  failures: { en: 'Too many upgrades failed', zh: '升级失败过多' },
  silence: { en: 'Too many devices do not respond', zh: '升级后无应答设备过多' },
  read_success: { en: 'Reading success dropped', zh: '抄表成功率下降' },
};

export const CHECK_RESULTS = ['pass', 'fail', 'skipped'] as const;
export const checkResult = z.enum(CHECK_RESULTS);
export type CheckResult = z.infer<typeof checkResult>;
export const CHECK_RESULT_TEXT: Record<CheckResult, Text> = {
  pass: { en: 'Pass', zh: '通过' },
  fail: { en: 'Fail', zh: '未通过' },
  skipped: { en: 'Skipped', zh: '跳过' },
};

/** Issues found by the preflight check of a target. */
export const preflightIssue = z.enum([
  'not_found',
  'wrong_type',
  'no_image',
  'not_in_service',
  'not_in_chain',
  'no_pull',
  'same_version',
  'in_other_job',
  'keys_missing',
  'offline',
  'version_unknown',
  'signal_weak',
  'clock_off',
  'relay_order_open',
  'battery_low',
  'serious_event',
]);
export type PreflightIssue = z.infer<typeof preflightIssue>;
export const PREFLIGHT_TEXT: Record<PreflightIssue, Text> = {
  not_found: { en: 'No such device in your area', zh: '管辖范围内无此设备' },
  wrong_type: { en: 'The firmware is not for this type', zh: '固件不适用于该类型' },
  no_image: { en: 'This DCU does not receive this firmware', zh: '该集中器不接收此类固件' },
  not_in_service: { en: 'Not installed or not bound', zh: '未安装或未绑定' },
  not_in_chain: { en: 'Upgrade from the present version is not permitted', zh: '当前版本不在可升级版本内' },
  no_pull: { en: 'The profile does not support file pull', zh: '设备规约不支持自行拉取文件' },
  same_version: { en: 'Already at this version', zh: '已是目标版本' },
  in_other_job: { en: 'In another open upgrade', zh: '存在未结束的升级任务' },
  keys_missing: { en: 'Keys not stored', zh: '未存储密钥' },
  offline: { en: 'Offline now', zh: '当前离线' },
  version_unknown: { en: 'Present version not read yet', zh: '尚未读取当前版本' },
  signal_weak: { en: 'Weak signal', zh: '信号弱' },
  clock_off: { en: 'Clock deviates', zh: '时钟偏差' },
  relay_order_open: { en: 'A relay order is open', zh: '存在未完成的拉合闸操作' },
  battery_low: { en: 'Battery low', zh: '电池欠压' },
  serious_event: { en: 'Serious event in the last day', zh: '近一天有严重事件' },
};
/** Issues that refuse a target; the others are warnings. */
export const PREFLIGHT_REFUSALS: readonly PreflightIssue[] = [
  'not_found',
  'wrong_type',
  'no_image',
  'not_in_service',
  'not_in_chain',
  'no_pull',
  'in_other_job',
  'keys_missing',
];
