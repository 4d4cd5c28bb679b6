import type { EventLog } from '@hes/contract/states/event.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';

export interface SeedEventCode {
  log: EventLog;
  code: number;
  nameEn: string;
  nameZh: string;
  abnormalLevel: 'serious' | 'warning' | null;
  direction: 'occur' | 'recover';
  pairCode: number | null;
}

/** `!` serious, `?` warning, space neither; `←` marks a code that ends another, which refers to it as `endedBy`. */
type Line = [code: number, mark: '!' | '?' | ' ' | '←', nameEn: string, nameZh: string, endedBy?: number];

const LEVEL = { '!': 'serious', '?': 'warning', ' ': null, '←': null } as const;

const linesOf = (log: EventLog, lines: Line[]): SeedEventCode[] =>
  lines.map(([code, mark, nameEn, nameZh, endedBy]) => ({
    log,
    code,
    nameEn,
    nameZh,
    abnormalLevel: LEVEL[mark],
    direction: mark === '←' ? 'recover' : 'occur',
    pairCode: endedBy ?? null,
  }));

const CLEARED: Line = [255, '?', 'Event Log Cleared', '事件日志清零'];

/** Usual meanings of event codes in IDIS and DSMR meters. Seeded once; the utility can edit them for its meters. */
export const EVENT_CODES: SeedEventCode[] = [
  ...linesOf('standard', [
    [1, '?', 'Power Down', '停电', 2],
    [2, '←', 'Power Up', '上电'],
    [3, ' ', 'Daylight Saving Changed', '夏令时切换'],
    [4, ' ', 'Clock Adjusted (Old Time)', '校时（校前时间）'],
    [5, ' ', 'Clock Adjusted (New Time)', '校时（校后时间）'],
    [6, '!', 'Clock Invalid', '时钟无效'],
    [7, '?', 'Replace Battery', '更换电池'],
    [8, '?', 'Battery Voltage Low', '电池欠压'],
    [9, ' ', 'Tariff Calendar Activated', '费率日历启用'],
    [10, ' ', 'Error Register Cleared', '错误寄存器清零'],
    [11, ' ', 'Alarm Register Cleared', '告警寄存器清零'],
    [12, '!', 'Program Memory Error', '程序存储器错误'],
    [13, '!', 'RAM Error', 'RAM错误'],
    [14, '!', 'NV Memory Error', '非易失存储器错误'],
    [15, '!', 'Watchdog Error', '看门狗复位'],
    [16, '!', 'Measurement System Error', '计量系统错误'],
    [17, ' ', 'Firmware Ready For Activation', '固件待激活'],
    [18, ' ', 'Firmware Activated', '固件已激活'],
    [19, ' ', 'Passive Tariff Programmed', '备用费率已编程'],
    [20, ' ', 'Self-Check After Power Up', '上电自检'],
    [47, '?', 'Parameter Changed', '参数变更'],
    [88, '?', 'Phase Sequence Reversed', '逆相序'],
    [89, '?', 'Missing Neutral', '零线缺失'],
    [254, '?', 'Load Profile Cleared', '负荷曲线清零'],
    CLEARED,
  ]),
  ...linesOf('fraud', [
    [40, '!', 'Terminal Cover Removed', '端钮盖打开', 41],
    [41, '←', 'Terminal Cover Closed', '端钮盖合上'],
    [42, '!', 'Strong DC Field Detected', '强磁场干扰', 43],
    [43, '←', 'Strong DC Field Removed', '强磁场消失'],
    [44, '!', 'Meter Cover Removed', '表盖打开', 45],
    [45, '←', 'Meter Cover Closed', '表盖合上'],
    [46, '!', 'Association Authentication Failure', '认证失败超限'],
    [48, '?', 'Module Cover Opened', '模块盖打开', 49],
    [49, '←', 'Module Cover Closed', '模块盖合上'],
    [50, '!', 'Replay Attack Detected', '检测到重放攻击'],
    [51, '!', 'Current Reversal', '电流反向'],
    [91, '!', 'Current Without Voltage', '有流无压'],
    CLEARED,
  ]),
  ...linesOf('disconnector', [
    [59, ' ', 'Disconnector Ready For Manual Reconnection', '允许手动合闸'],
    [60, '?', 'Manual Disconnection', '手动拉闸', 61],
    [61, '←', 'Manual Connection', '手动合闸'],
    [62, '?', 'Remote Disconnection', '远程拉闸', 63],
    [63, '←', 'Remote Connection', '远程合闸'],
    [64, '?', 'Local Disconnection', '本地拉闸'],
    [65, '?', 'Limiter Threshold Exceeded', '超过负荷限值', 66],
    [66, '←', 'Limiter Threshold OK', '负荷恢复正常'],
    [67, ' ', 'Limiter Threshold Changed', '负荷限值变更'],
    [68, '!', 'Disconnect Or Reconnect Failure', '拉合闸失败'],
    [69, '!', 'Local Reconnection', '本地合闸'],
    CLEARED,
  ]),
  ...linesOf('mbus', [
    [100, '?', 'M-Bus Communication Error', 'M-Bus通信错误', 101],
    [101, '←', 'M-Bus Communication OK', 'M-Bus通信恢复'],
    [102, '?', 'M-Bus Replace Battery', 'M-Bus更换电池'],
    [103, '!', 'M-Bus Fraud Attempt', 'M-Bus窃电企图'],
    [104, ' ', 'M-Bus Clock Adjusted', 'M-Bus校时'],
    [105, ' ', 'New M-Bus Device', '发现新M-Bus设备'],
    [106, '!', 'M-Bus Permanent Error', 'M-Bus永久故障'],
    CLEARED,
  ]),
  ...linesOf('comms', [
    [119, ' ', 'Connection Lost', '通信连接断开', 120],
    [120, '←', 'Connection Established', '通信连接建立'],
    [140, '?', 'No Connection Timeout', '长时间无连接'],
    [141, '?', 'Modem Initialisation Failure', '调制解调器初始化失败'],
    [142, '?', 'SIM Card Failure', 'SIM卡故障', 143],
    [143, '←', 'SIM Card OK', 'SIM卡恢复'],
    // Codes of the head-end about a meter, above the range of device codes.
    [FIELD_EVENT.meterChanged, '?', 'Meter Configuration Changed', '电表配置已变更'],
    [FIELD_EVENT.identityMismatch, '!', 'Identity Mismatch: Another Meter Answered', '身份不符：由另一只电表应答'],
    [FIELD_EVENT.notProved, '!', 'Authentication Or Deciphering Failed', '认证或解密失败'],
    [FIELD_EVENT.storedDiffers, '?', 'Stored Reading Differs From The Meter', '已存读数与电表不一致'],
    [FIELD_EVENT.setAside, '?', 'Meter Set Aside: Its Answers Cost Too Much', '电表暂缓采集：应答占用过多', FIELD_EVENT.readAgain],
    [FIELD_EVENT.readAgain, '←', 'Meter Is Read Again', '电表恢复采集'],
    [FIELD_EVENT.periodWithoutSlots, '?', 'Capture Period That Does Not Divide A Day', '捕获周期不能整除一天'],
    [FIELD_EVENT.unreadableRow, '?', 'Unreadable Row In A Log', '日志中有无法解读的记录'],
    [FIELD_EVENT.counterJumped, '!', 'Invocation Counter Jumped', '调用计数器跳变'],
    CLEARED,
  ]),
  ...linesOf('quality', [
    [77, '?', 'Under Voltage L1', 'A相欠压', 83],
    [78, '?', 'Under Voltage L2', 'B相欠压', 84],
    [79, '?', 'Under Voltage L3', 'C相欠压', 85],
    [80, '?', 'Over Voltage L1', 'A相过压', 83],
    [81, '?', 'Over Voltage L2', 'B相过压', 84],
    [82, '?', 'Over Voltage L3', 'C相过压', 85],
    [83, '←', 'Voltage Normal L1', 'A相电压恢复'],
    [84, '←', 'Voltage Normal L2', 'B相电压恢复'],
    [85, '←', 'Voltage Normal L3', 'C相电压恢复'],
    [86, '!', 'Missing Phase L1', 'A相失压', 90],
    [87, '!', 'Missing Phase L2', 'B相失压', 91],
    [88, '!', 'Missing Phase L3', 'C相失压', 92],
    [89, ' ', 'Power Quality Test', '电能质量测试'],
    [90, '←', 'Phase L1 Normal', 'A相恢复'],
    [91, '←', 'Phase L2 Normal', 'B相恢复'],
    [92, '←', 'Phase L3 Normal', 'C相恢复'],
    [93, '?', 'Voltage Sag L1', 'A相电压暂降'],
    [94, '?', 'Voltage Sag L2', 'B相电压暂降'],
    [95, '?', 'Voltage Sag L3', 'C相电压暂降'],
    [96, '?', 'Voltage Swell L1', 'A相电压暂升'],
    [97, '?', 'Voltage Swell L2', 'B相电压暂升'],
    [98, '?', 'Voltage Swell L3', 'C相电压暂升'],
    CLEARED,
  ]),
  ...linesOf('dcu', [
    [1, '!', 'Power Down', '停电', 2],
    [2, '←', 'Power Up', '上电'],
    [3, ' ', 'Restarted', '重启'],
    [4, ' ', 'Clock Adjusted (Old Time)', '校时（校前时间）'],
    [5, ' ', 'Clock Adjusted (New Time)', '校时（校后时间）'],
    [6, '!', 'Clock Invalid', '时钟无效'],
    [8, '?', 'Battery Voltage Low', '电池欠压'],
    [17, ' ', 'Firmware Ready For Activation', '固件待激活'],
    [18, ' ', 'Firmware Activated', '固件已激活'],
    [44, '!', 'Cover Opened', '机盖打开', 45],
    [45, '←', 'Cover Closed', '机盖合上'],
    [46, '!', 'Association Authentication Failure', '认证失败超限'],
    [47, '?', 'Parameter Changed', '参数变更'],
    // Codes of the head-end, above the range of device codes.
    [60001, '!', 'Limit Of Relay Control Reached', '达到拉合闸上限'],
    [60002, '!', 'Relay Command Without Order', '未经授权的拉合闸命令'],
    [60003, '!', 'Forged Limits Of Relay Control', '伪造的拉合闸上限'],
    [60004, '!', 'Higher Limits Of Relay Control Requested', '申请放宽拉合闸上限'],
    [60005, '?', 'DCU Link Unstable', '集中器链路不稳定'],
    [60006, '!', 'Unauthenticated Push', '未通过认证的主动上报'],
    [60007, '?', 'Incomplete Push In Blocks', '分块主动上报不完整'],
    [60020, '!', 'Sign-In Under Attack', '登录遭受攻击'],
    [60040, '!', 'User, Role Or Session Changed Outside The Product', '用户、角色或会话在系统外被更改'],
    [60050, '?', 'Certificate Expires Soon', '证书即将到期'],
    [60051, '!', 'Certificate Expired', '证书已过期'],
    [60060, '!', 'Alarm Channel Fails', '告警渠道故障'],
    [60070, '!', 'Backup Fails', '备份失败'],
    [60080, '!', 'Emergency Account Used', '使用应急账号'],
    [60030, '!', 'Log Altered Or Truncated In The Database', '数据库中的日志被更改或截断'],
    [FIELD_EVENT.notProved, '!', 'Authentication Or Deciphering Failed', '认证或解密失败'],
    [FIELD_EVENT.unreadableRow, '?', 'Unreadable Row In A Log', '日志中有无法解读的记录'],
    [FIELD_EVENT.counterJumped, '!', 'Invocation Counter Jumped', '调用计数器跳变'],
    CLEARED,
  ]),
];
