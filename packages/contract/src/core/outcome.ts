import type { Text } from './text.ts';

interface ReasonKind extends Text {
  /** `soon`: retried automatically; `later`: only after a change or by a later run of the plan; `no`: a retry cannot succeed. */
  retry: 'soon' | 'later' | 'no';
}

const reasonKind = <const T extends Record<string, ReasonKind>>(table: T): T => table;

/** Reasons why a device did not deliver, with the texts for operators. Codes are stored and never renamed. */
export const REASONS = reasonKind({
  DCU_OFFLINE: { retry: 'later', en: 'The DCU is offline', zh: '集中器离线' },
  METER_OFFLINE: { retry: 'later', en: 'The meter is not connected', zh: '电表未连接' },
  DCU_TIMEOUT: { retry: 'soon', en: 'The DCU did not answer in time', zh: '集中器应答超时' },
  NOT_IN_ARCHIVE: { retry: 'no', en: 'This meter is not in the archive of the DCU', zh: '集中器档案中无此电表' },
  NO_ROUTE: { retry: 'soon', en: 'The DCU found no route to the meter', zh: '集中器无法路由到电表' },
  METER_TIMEOUT: { retry: 'soon', en: 'The meter did not answer in time', zh: '电表应答超时' },
  LINK_LOST: { retry: 'soon', en: 'The connection broke during the exchange', zh: '通信过程中连接中断' },
  KEYS_MISSING: { retry: 'no', en: 'No keys or no password are stored for this device', zh: '未存储该设备的密钥或密码' },
  CERTIFICATE_MISSING: {
    retry: 'no',
    en: 'No certificate of this device is stored for its security suite: enter the system title of the device and import its certificate',
    zh: '未存储该设备对应安全套件的证书：请填写设备的系统标题并导入其证书',
  },
  CERTIFICATE_EXPIRED: {
    retry: 'no',
    en: 'The certificate of this device has expired or is not valid yet: import a valid one',
    zh: '该设备的证书已过期或尚未生效：请导入有效证书',
  },
  OWN_CERTIFICATE_MISSING: {
    retry: 'no',
    en: 'The head-end has no key pair with a certificate for this security suite: generate one and import its certificate',
    zh: '主站没有该安全套件的密钥对和证书：请生成密钥对并导入证书',
  },
  OWN_CERTIFICATE_EXPIRED: {
    retry: 'no',
    en: 'The certificate of the head-end for this security suite has expired: generate a new key pair and import its certificate',
    zh: '主站该安全套件的证书已过期：请生成新密钥对并导入证书',
  },
  PASSWORD_IN_CLEAR: {
    retry: 'later',
    en: 'Not sent: the password (LLS) would cross the network without TLS',
    zh: '未通信：密码（LLS）将在未启用TLS的网络中明文传输',
  },
  SETTING_UNSUPPORTED: {
    retry: 'no',
    en: 'The head-end does not support a security setting of this device yet',
    zh: '主站暂不支持该设备的安全设置',
  },
  ASSOC_REFUSED: { retry: 'later', en: 'The device refused the association', zh: '设备拒绝建立关联' },
  AUTH_FAILED: {
    retry: 'no',
    en: 'Authentication failed: the key, the certificate or the password is not the one in the device',
    zh: '认证失败：密钥、证书或密码与设备不一致',
  },
  CHALLENGE_UNSUPPORTED: {
    retry: 'no',
    en: 'Not authenticated: for a challenge of this length, mechanism 2 has no common algorithm, and a wrong response may lock the head-end out',
    zh: '未认证：机制2对该长度的挑战值没有通用算法，错误的应答可能导致主站被锁定',
  },
  DECRYPT_FAILED: { retry: 'no', en: 'The answer could not be deciphered with the stored key', zh: '应答无法用存储的密钥解密' },
  IDENTITY_MISMATCH: { retry: 'later', en: 'Another meter answered under this address', zh: '该地址由另一只电表应答' },
  COUNTER_REPLAY: { retry: 'later', en: 'An invocation counter was used before: possible replay', zh: '调用计数器重复：可能为重放' },
  OBJECT_UNDEFINED: { retry: 'no', en: 'The device has no such object', zh: '设备无此对象' },
  TYPE_UNSUPPORTED: {
    retry: 'no',
    en: 'Not read: meters of this type have reported that they have no such object',
    zh: '未抄读：该类型电表已应答无此对象',
  },
  ACCESS_DENIED: { retry: 'no', en: 'The device does not allow access to this object', zh: '设备拒绝访问该对象' },
  TYPE_MISMATCH: { retry: 'no', en: 'The device answered with another type than expected', zh: '应答数据类型不符' },
  TEMPORARY_FAILURE: { retry: 'soon', en: 'The device cannot answer right now', zh: '设备暂时无法应答' },
  HARDWARE_FAULT: { retry: 'later', en: 'The device reports a hardware fault', zh: '设备报告硬件故障' },
  BLOCK_ERROR: { retry: 'soon', en: 'A block of the answer was lost or out of order', zh: '分块应答丢失或乱序' },
  BAD_ANSWER: { retry: 'soon', en: 'The answer is not valid DLMS', zh: '应答不是有效的DLMS报文' },
  OUT_OF_RANGE: { retry: 'later', en: 'The meter gave no usable value: out of range', zh: '电表未给出有效数值：超出范围' },
  ANSWER_TOO_LONG: {
    retry: 'later',
    en: 'The response did not end: aborted at the limit of size, blocks or time',
    zh: '应答无止境：已达到长度、分块或时间上限而中止',
  },
  SET_ASIDE: {
    retry: 'later',
    en: 'Collection is paused: the responses of the meter are too long',
    zh: '已暂缓采集：其应答占用过多通信资源',
  },
  CLOCK_INVALID: { retry: 'later', en: 'The clock of the meter is wrong', zh: '电表时钟有误' },
  CLOCK_CONFIRM: {
    retry: 'no',
    en: 'The clock deviates by more than the limit: confirm, because profiles will contain a jump',
    zh: '时钟偏差超过限值：曲线将出现跳变，须确认后校时',
  },
  CLOCK_NOT_SET: { retry: 'later', en: 'The time was sent, but the clock still deviates', zh: '已下发校时，但时钟仍有偏差' },
  RELAY_MODE: { retry: 'no', en: 'The control mode of this relay does not allow it', zh: '该继电器的控制模式不允许此操作' },
  RELAY_NOT_ORDERED: { retry: 'no', en: 'No user has ordered this command', zh: '该命令未经授权下达' },
  RELAY_NOT_APPROVED: { retry: 'no', en: 'This command was not approved by a second user', zh: '该命令未经他人审批' },
  RELAY_STOPPED: { retry: 'no', en: 'Not sent: dangerous orders are stopped', zh: '未下发：危险操作已紧急停用' },
  RELAY_CEILING: { retry: 'no', en: 'Not sent: the limit of this hour is reached', zh: '未下发：已达到本小时拉合闸上限' },
  RELAY_DAY_CEILING: { retry: 'no', en: 'Not sent: the limit of 24 hours is reached', zh: '未下发：已达到24小时拉合闸上限' },
  RELAY_HOURS: {
    retry: 'no',
    en: 'Not sent: at this hour a disconnection requires the approval of a second user',
    zh: '未下发：该时段拉闸须他人审批',
  },
  RELAY_HALTED: {
    retry: 'no',
    en: 'Not sent: too many commands of this batch are unconfirmed',
    zh: '未下发：本批次已执行的命令中未确认的过多，已中止',
  },
  RELAY_UNKNOWN: {
    retry: 'soon',
    en: 'Sent without a response: read the relay to find out whether it has switched',
    zh: '已下发但未收到应答：须读取继电器确认结果',
  },
  RELAY_NOT_SWITCHED: { retry: 'no', en: 'The command was sent, but the relay did not switch', zh: '命令已下发，但继电器未动作' },
  NO_DATA: { retry: 'later', en: 'The meter holds no data for this period', zh: '电表在该时段无数据' },
  BUFFER_PASSED: { retry: 'no', en: 'No longer in the meter: its buffer has overwritten it', zh: '电表中已无此数据：超出存储深度' },
  SCALE_UNKNOWN: {
    retry: 'later',
    en: 'Captured before a scaler changed: the scale of the values is unknown',
    zh: '数据产生于换算系数变更之前：已存数据无法判断其倍率',
  },
  DCU_NOT_READ: { retry: 'later', en: 'The DCU has not collected this yet', zh: '集中器尚未自行采集到该数据' },
  READ_BACK_DIFFERS: { retry: 'no', en: 'The read-back differs from the values that were written', zh: '回读结果与下发不一致' },
  POINT_TAKEN: {
    retry: 'no',
    en: 'Another entry of the DCU has this measurement point',
    zh: '集中器内该测量点已被其他电表占用',
  },
  DCU_REFUSED: { retry: 'no', en: 'The DCU refused the entry', zh: '集中器拒绝该档案' },
  ARCHIVE_FULL: { retry: 'no', en: 'The archive of the DCU is full', zh: '集中器档案已满' },
  DCU_NO_ARCHIVE: { retry: 'no', en: 'This DCU has no archive: the head-end keeps it', zh: '该集中器没有档案：由主站保存' },
  DCU_NO_DISCOVERY: {
    retry: 'no',
    en: 'This DCU does not search for meters: add or import them',
    zh: '该集中器不支持搜表：请添加或导入电表',
  },
  DCU_NO_TOPOLOGY: { retry: 'no', en: 'This DCU does not report its network', zh: '该集中器不提供网络拓扑' },
  DCU_NO_MODULES: { retry: 'no', en: 'This DCU does not report its communication modules', zh: '该集中器不提供通信模块信息' },
  DCU_NO_STATION_RESTART: { retry: 'no', en: 'This DCU cannot restart communication modules', zh: '该集中器不能重启通信模块' },
  DCU_NO_NETWORK_CONTROL: { retry: 'no', en: 'This DCU has no commands for its network', zh: '该集中器没有网络命令' },
  DCU_NO_TASKS: {
    retry: 'no',
    en: 'This DCU has no tasks: the head-end reads its meters by plan',
    zh: '该集中器没有任务功能：由主站按方案采集',
  },
  DCU_NO_RESTART: { retry: 'no', en: 'This DCU has no command to restart it', zh: '该集中器没有重启命令' },
  DCU_NO_FACTORY_RESET: { retry: 'no', en: 'This DCU has no factory reset', zh: '该集中器没有恢复出厂命令' },
  DCU_NO_CLOCK_BROADCAST: {
    retry: 'no',
    en: 'This DCU has no clock broadcast: synchronize its meters one by one',
    zh: '该集中器没有广播校时：请对电表逐只校时',
  },
  DCU_NO_PARAMETERS: { retry: 'no', en: 'This DCU has no parameters that the head-end knows', zh: '该集中器没有主站可识别的参数' },
  DCU_NO_EVENT_LOG: { retry: 'no', en: 'This DCU has no event log', zh: '该集中器没有事件日志' },
  DCU_NO_FIRMWARE: { retry: 'no', en: 'This DCU does not receive this firmware', zh: '该集中器不接收此类固件' },
  DCU_NO_IMAGE_BROADCAST: { retry: 'no', en: 'This DCU does not broadcast firmware to meters', zh: '该集中器不能向电表广播固件' },
  IMAGE_DAMAGED: { retry: 'no', en: 'The stored file differs from the uploaded one', zh: '存储的文件与上传时不一致' },
  IMAGE_REFUSED: { retry: 'no', en: 'The device refused the image', zh: '设备拒绝该镜像' },
  IMAGE_VERIFY_FAILED: { retry: 'no', en: 'The verification of the image by the device failed', zh: '设备校验镜像未通过' },
  IMAGE_INCOMPLETE: { retry: 'later', en: 'Blocks are still missing after they were sent again', zh: '补发后仍缺少数据块' },
  NOT_IN_CHAIN: { retry: 'no', en: 'This version cannot be installed over the present one', zh: '当前版本不在可升级版本内' },
  ACTIVATION_FAILED: { retry: 'no', en: 'The device could not activate the image', zh: '设备激活镜像失败' },
  VERSION_UNCHANGED: { retry: 'no', en: 'The device still reports the old version', zh: '设备版本未改变' },
  POST_CHECK_FAILED: { retry: 'no', en: 'The new version runs, but a check after it failed', zh: '新版本已运行，但升级后检查未通过' },
  UPGRADE_SILENT: { retry: 'later', en: 'The device did not respond after the activation', zh: '激活后设备未恢复通信' },
  CANCELLED: { retry: 'no', en: 'Cancelled', zh: '已取消' },
  EXPIRED: { retry: 'no', en: 'Too late: the task had expired', zh: '任务已过期' },
  STORAGE_UNAVAILABLE: { retry: 'soon', en: 'Database or disk of the head-end were not available', zh: '主站数据库或磁盘暂不可用' },
  INTERNAL: { retry: 'later', en: 'Internal error, see the server log', zh: '内部错误，请查看服务器日志' },
});

export type ReasonCode = keyof typeof REASONS;

/** Text of a stored reason code; undefined without a code, and for codes of later versions. */
export const reasonText = (code: string | null): Text | undefined =>
  code !== null && Object.hasOwn(REASONS, code) ? REASONS[code as ReasonCode] : undefined; // as: just looked up

/** Value from a device, or the reason for its absence. Returned rather than thrown because failures in the field are expected. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; reason: ReasonCode; detail?: string };

export const ok = <T>(value: T): Outcome<T> => ({ ok: true, value });
export const failed = (reason: ReasonCode, detail?: string): { ok: false; reason: ReasonCode; detail?: string } =>
  detail === undefined ? { ok: false, reason } : { ok: false, reason, detail };
