import { associationLn } from '../cosem/classes/association-ln.ts';
import { clock } from '../cosem/classes/clock.ts';
import { data } from '../cosem/classes/data.ts';
import { demandRegister } from '../cosem/classes/demand-register.ts';
import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { pushSetup } from '../cosem/classes/push-setup.ts';
import { register } from '../cosem/classes/register.ts';
import { sapAssignment } from '../cosem/classes/sap-assignment.ts';
import { securitySetup } from '../cosem/classes/security-setup.ts';
import type { CosemClass } from '../cosem/cosem-class.ts';
import { obis, type Obis } from '../cosem/obis.ts';

/** An object that meters usually have, where they usually have it. What a meter type really has is data. */
export interface WellKnownObject<C extends CosemClass = CosemClass> {
  readonly cosemClass: C;
  readonly instance: Obis;
  readonly label: { readonly en: string; readonly zh: string };
}

const object = <C extends CosemClass>(cosemClass: C, instance: string, en: string, zh: string): WellKnownObject<C> => ({
  cosemClass,
  instance: obis(instance),
  label: { en, zh },
});

export const WELL_KNOWN = {
  CLOCK: object(clock, '0.0.1.0.0.255', 'Clock', '时钟'),
  LDN: object(data, '0.0.42.0.0.255', 'Logical Device Name', '逻辑设备名'),
  SN: object(data, '0.0.96.1.0.255', 'Serial Number', '出厂编号'),
  FWID: object(data, '1.0.0.2.0.255', 'Firmware Version', '固件版本'),
  STATUS: object(data, '0.0.96.10.1.255', 'Status Word', '状态字'),

  E_PLUS: object(register, '1.0.1.8.0.255', 'Total Active Energy +', '正向有功总电能'),
  E_PLUS_T1: object(register, '1.0.1.8.1.255', 'Tariff 1 +', '正向有功费率1电能'),
  E_PLUS_T2: object(register, '1.0.1.8.2.255', 'Tariff 2 +', '正向有功费率2电能'),
  E_PLUS_T3: object(register, '1.0.1.8.3.255', 'Tariff 3 +', '正向有功费率3电能'),
  E_PLUS_T4: object(register, '1.0.1.8.4.255', 'Tariff 4 +', '正向有功费率4电能'),
  E_MINUS: object(register, '1.0.2.8.0.255', 'Total Active Energy −', '反向有功总电能'),
  E_MINUS_T1: object(register, '1.0.2.8.1.255', 'Tariff 1 −', '反向有功费率1电能'),
  E_MINUS_T2: object(register, '1.0.2.8.2.255', 'Tariff 2 −', '反向有功费率2电能'),
  E_MINUS_T3: object(register, '1.0.2.8.3.255', 'Tariff 3 −', '反向有功费率3电能'),
  E_MINUS_T4: object(register, '1.0.2.8.4.255', 'Tariff 4 −', '反向有功费率4电能'),

  U1: object(register, '1.0.32.7.0.255', 'Voltage L1', 'A相电压'),
  U2: object(register, '1.0.52.7.0.255', 'Voltage L2', 'B相电压'),
  U3: object(register, '1.0.72.7.0.255', 'Voltage L3', 'C相电压'),
  I1: object(register, '1.0.31.7.0.255', 'Current L1', 'A相电流'),
  I2: object(register, '1.0.51.7.0.255', 'Current L2', 'B相电流'),
  I3: object(register, '1.0.71.7.0.255', 'Current L3', 'C相电流'),
  I0: object(register, '1.0.91.7.0.255', 'Neutral Current', '零线电流'),
  FREQUENCY: object(register, '1.0.14.7.0.255', 'Frequency', '频率'),

  P_PLUS: object(register, '1.0.1.7.0.255', 'Active Power +', '正向有功功率'),
  P_MINUS: object(register, '1.0.2.7.0.255', 'Active Power −', '反向有功功率'),
  Q_PLUS: object(register, '1.0.3.7.0.255', 'Reactive Power +', '正向无功功率'),
  Q_MINUS: object(register, '1.0.4.7.0.255', 'Reactive Power −', '反向无功功率'),
  S_PLUS: object(register, '1.0.9.7.0.255', 'Apparent Power +', '正向视在功率'),
  S_MINUS: object(register, '1.0.10.7.0.255', 'Apparent Power −', '反向视在功率'),
  PF: object(register, '1.0.13.7.0.255', 'Power Factor', '功率因数'),

  P_AVG_PLUS: object(demandRegister, '1.0.1.4.0.255', 'Average Active Power +', '正向平均有功功率'),
  P_AVG_MINUS: object(demandRegister, '1.0.2.4.0.255', 'Average Active Power −', '反向平均有功功率'),
  S_AVG_PLUS: object(demandRegister, '1.0.9.4.0.255', 'Average Apparent Power +', '正向平均视在功率'),
  S_AVG_MINUS: object(demandRegister, '1.0.10.4.0.255', 'Average Apparent Power −', '反向平均视在功率'),
  P_LAST_AVG_PLUS: object(demandRegister, '1.0.1.5.0.255', 'Last Average Active Power +', '上一周期正向平均有功功率'),
  P_LAST_AVG_MINUS: object(demandRegister, '1.0.2.5.0.255', 'Last Average Active Power −', '上一周期反向平均有功功率'),
  S_LAST_AVG_PLUS: object(demandRegister, '1.0.9.5.0.255', 'Last Average Apparent Power +', '上一周期正向平均视在功率'),
  S_LAST_AVG_MINUS: object(demandRegister, '1.0.10.5.0.255', 'Last Average Apparent Power −', '上一周期反向平均视在功率'),

  DAILY: object(profileGeneric, '1.0.98.2.0.255', 'Daily Freeze', '日冻结'),
  ENERGY: object(profileGeneric, '1.0.99.3.0.255', 'Energy Profile', '电能曲线'),
  LPA: object(profileGeneric, '1.0.99.1.0.255', 'Load Profile A', '负荷曲线A'),
  LPB: object(profileGeneric, '1.0.99.2.0.255', 'Load Profile B', '负荷曲线B'),
  EVLOG0: object(profileGeneric, '0.0.99.98.0.255', 'Standard Event Log', '标准事件日志'),
  EVLOG1: object(profileGeneric, '0.0.99.98.1.255', 'Fraud Event Log', '窃电事件日志'),
  EVLOG2: object(profileGeneric, '0.0.99.98.2.255', 'Disconnector Event Log', '拉合闸事件日志'),
  EVLOG4: object(profileGeneric, '0.0.99.98.4.255', 'Power Quality Event Log', '电能质量事件日志'),
  EVCODE0: object(data, '0.0.96.11.0.255', 'Standard Event Code', '标准事件代码'),
  EVCODE1: object(data, '0.0.96.11.1.255', 'Fraud Event Code', '窃电事件代码'),
  EVCODE2: object(data, '0.0.96.11.2.255', 'Disconnector Event Code', '拉合闸事件代码'),
  EVCODE4: object(data, '0.0.96.11.4.255', 'Power Quality Event Code', '电能质量事件代码'),

  ASSOCIATION: object(associationLn, '0.0.40.0.0.255', 'Current Association', '当前连接'),
  SAP: object(sapAssignment, '0.0.41.0.0.255', 'SAP Assignment', 'SAP 分配'),
  SECURITY: object(securitySetup, '0.0.43.0.0.255', 'Security Setup', '安全设置'),
  IC: object(data, '0.0.43.1.0.255', 'Invocation Counter', '调用计数器'),
  PUSH: object(pushSetup, '0.0.25.9.0.255', 'Push Setup', '主动上报设置'),
  RELAY: object(disconnectControl, '0.0.96.3.10.255', 'Relay', '继电器'),
} as const;

export type WellKnownKey = keyof typeof WELL_KNOWN;

/** The well-known object of this class and name. */
export function wellKnownKey(classId: number, instance: Obis): WellKnownKey | undefined {
  return Object.entries(WELL_KNOWN).find(([, known]) => known.cosemClass.id === classId && known.instance === instance)?.[0] as
    | WellKnownKey
    | undefined; // as: entries() widens the keys
}
