import { associationLn } from '../cosem/classes/association-ln.ts';
import { autoConnect } from '../cosem/classes/auto-connect.ts';
import { clock } from '../cosem/classes/clock.ts';
import { data } from '../cosem/classes/data.ts';
import { demandRegister } from '../cosem/classes/demand-register.ts';
import { disconnectControl } from '../cosem/classes/disconnect-control.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { pushSetup } from '../cosem/classes/push-setup.ts';
import { register } from '../cosem/classes/register.ts';
import { sapAssignment } from '../cosem/classes/sap-assignment.ts';
import { securitySetup } from '../cosem/classes/security-setup.ts';
import { arrayManager } from '../cosem/classes/array-manager.ts';
import { activityCalendar } from '../cosem/classes/activity-calendar.ts';
import { extendedRegister } from '../cosem/classes/extended-register.ts';
import { imageTransfer } from '../cosem/classes/image-transfer.ts';
import { iecHdlcSetup } from '../cosem/classes/iec-hdlc-setup.ts';
import { gprsModemSetup } from '../cosem/classes/gprs-modem-setup.ts';
import { gsmDiagnostic } from '../cosem/classes/gsm-diagnostic.ts';
import { ipv4Setup } from '../cosem/classes/ipv4-setup.ts';
import { ipv6Setup } from '../cosem/classes/ipv6-setup.ts';
import { limiter } from '../cosem/classes/limiter.ts';
import { mBusClient } from '../cosem/classes/m-bus-client.ts';
import { macAddressSetup } from '../cosem/classes/mac-address-setup.ts';
import { ntpSetup } from '../cosem/classes/ntp-setup.ts';
import { pppSetup } from '../cosem/classes/ppp-setup.ts';
import { registerMonitor } from '../cosem/classes/register-monitor.ts';
import { scriptTable } from '../cosem/classes/script-table.ts';
import { singleActionSchedule } from '../cosem/classes/single-action-schedule.ts';
import { specialDaysTable } from '../cosem/classes/special-days-table.ts';
import { tcpUdpSetup } from '../cosem/classes/tcp-udp-setup.ts';
import { g3PlcMacLayerCounters } from '../cosem/classes/g3-plc-mac-layer-counters.ts';
import { g3PlcMacSetup } from '../cosem/classes/g3-plc-mac-setup.ts';
import { g3Plc6lowpanAdaptationLayerSetup } from '../cosem/classes/g3-plc-6lowpan-adaptation-layer-setup.ts';
import { iec61334432LlcSscsSetup } from '../cosem/classes/iec-61334-4-32-llc-sscs-setup.ts';
import { primeNbOfdmPlcPhysicalLayerCounters } from '../cosem/classes/prime-nb-ofdm-plc-physical-layer-counters.ts';
import { primeNbOfdmPlcMacSetup } from '../cosem/classes/prime-nb-ofdm-plc-mac-setup.ts';
import { primeNbOfdmPlcMacFunctionalParameters } from '../cosem/classes/prime-nb-ofdm-plc-mac-functional-parameters.ts';
import { primeNbOfdmPlcMacCounters } from '../cosem/classes/prime-nb-ofdm-plc-mac-counters.ts';
import { primeNbOfdmPlcMacNetworkAdministrationData } from '../cosem/classes/prime-nb-ofdm-plc-mac-network-administration-data.ts';
import { primeNbOfdmPlcApplicationIdentification } from '../cosem/classes/prime-nb-ofdm-plc-application-identification.ts';
import type { CosemClass } from '../cosem/cosem-class.ts';
import { obis, type Obis } from '../cosem/obis.ts';

/** An object at its usual logical name. The actual objects of a meter type are data. */
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
  EVLOG5: object(profileGeneric, '0.0.99.98.5.255', 'Communication Event Log', '通信事件日志'),
  EVCODE0: object(data, '0.0.96.11.0.255', 'Standard Event Code', '标准事件代码'),
  EVCODE1: object(data, '0.0.96.11.1.255', 'Fraud Event Code', '窃电事件代码'),
  EVCODE2: object(data, '0.0.96.11.2.255', 'Disconnector Event Code', '拉合闸事件代码'),
  EVCODE4: object(data, '0.0.96.11.4.255', 'Power Quality Event Code', '电能质量事件代码'),
  EVCODE5: object(data, '0.0.96.11.5.255', 'Communication Event Code', '通信事件代码'),

  ASSOCIATION: object(associationLn, '0.0.40.0.0.255', 'Current Association', '当前连接'),
  SAP: object(sapAssignment, '0.0.41.0.0.255', 'SAP Assignment', 'SAP 分配'),
  SECURITY: object(securitySetup, '0.0.43.0.0.255', 'Security Setup', '安全设置'),
  IC: object(data, '0.0.43.1.0.255', 'Invocation Counter', '调用计数器'),
  PUSH: object(pushSetup, '0.0.25.9.0.255', 'Push Setup', '主动上报设置'),
  RELAY: object(disconnectControl, '0.0.96.3.10.255', 'Relay', '继电器'),

  FWID_DCU: object(data, '0.0.0.2.0.255', 'Firmware Version of the DCU', '集中器固件版本'),
  FW_SIGNATURE: object(data, '1.0.0.2.8.255', 'Firmware Signature', '固件签名'),
  STATUS_2: object(data, '0.0.96.10.2.255', 'Status Word 2', '状态字2'),
  STATUS_3: object(data, '0.0.96.10.3.255', 'Status Word 3', '状态字3'),
  DEVICE_ID_2: object(data, '0.0.96.1.1.255', 'Device Id 2', '设备标识2'),
  DEVICE_ID_3: object(data, '0.0.96.1.2.255', 'Device Id 3', '设备标识3'),
  DEVICE_ID_4: object(data, '0.0.96.1.3.255', 'Device Id 4', '设备标识4'),
  DEVICE_ID_5: object(data, '0.0.96.1.4.255', 'Device Id 5', '设备标识5'),

  R_PLUS: object(register, '1.0.3.8.0.255', 'Total Reactive Energy +', '正向无功总电能'),
  R_MINUS: object(register, '1.0.4.8.0.255', 'Total Reactive Energy −', '反向无功总电能'),
  R_Q1: object(register, '1.0.5.8.0.255', 'Reactive Energy Quadrant I', '第一象限无功电能'),
  R_Q2: object(register, '1.0.6.8.0.255', 'Reactive Energy Quadrant II', '第二象限无功电能'),
  R_Q3: object(register, '1.0.7.8.0.255', 'Reactive Energy Quadrant III', '第三象限无功电能'),
  R_Q4: object(register, '1.0.8.8.0.255', 'Reactive Energy Quadrant IV', '第四象限无功电能'),
  PF1: object(register, '1.0.33.7.0.255', 'Power Factor L1', 'A相功率因数'),
  PF2: object(register, '1.0.53.7.0.255', 'Power Factor L2', 'B相功率因数'),
  PF3: object(register, '1.0.73.7.0.255', 'Power Factor L3', 'C相功率因数'),
  I_SUM: object(register, '1.0.90.7.0.255', 'Sum of Currents', '电流之和'),
  P_ABS: object(register, '1.0.15.7.0.255', 'Active Power, Absolute', '有功功率绝对值'),
  P_NET: object(register, '1.0.16.7.0.255', 'Active Power, Net', '有功功率净值'),
  P1_PLUS: object(register, '1.0.21.7.0.255', 'Active Power L1 +', 'A相正向有功功率'),
  P2_PLUS: object(register, '1.0.41.7.0.255', 'Active Power L2 +', 'B相正向有功功率'),
  P3_PLUS: object(register, '1.0.61.7.0.255', 'Active Power L3 +', 'C相正向有功功率'),
  P1_MINUS: object(register, '1.0.22.7.0.255', 'Active Power L1 −', 'A相反向有功功率'),
  P2_MINUS: object(register, '1.0.42.7.0.255', 'Active Power L2 −', 'B相反向有功功率'),
  P3_MINUS: object(register, '1.0.62.7.0.255', 'Active Power L3 −', 'C相反向有功功率'),
  P_MAX_PLUS: object(extendedRegister, '1.0.1.6.0.255', 'Maximum Demand +', '正向有功最大需量'),
  P_MAX_MINUS: object(extendedRegister, '1.0.2.6.0.255', 'Maximum Demand −', '反向有功最大需量'),

  P_RECORDED_PLUS: object(register, '1.0.1.24.0.255', 'Average Active Power +, Period 3', '周期3正向平均有功功率'),
  P_RECORDED_MINUS: object(register, '1.0.2.24.0.255', 'Average Active Power −, Period 3', '周期3反向平均有功功率'),

  BILLING_COUNT: object(data, '1.0.0.1.0.255', 'Billing Period Counter', '结算周期计数'),
  BILLING_AT: object(data, '1.0.0.1.2.255', 'End of Last Billing Period', '上次结算时间'),
  BILLING_2: object(profileGeneric, '0.0.98.2.0.255', 'Billing Scheme 2', '结算数据2'),
  BILLING_LIST: object(profileGeneric, '1.0.98.1.0.255', 'Electricity Billing List', '电能结算清单'),
  EVCODE3: object(data, '0.0.96.11.3.255', 'M-Bus Event Code', 'M-Bus事件代码'),
  EVCOUNT0: object(data, '0.0.96.15.0.255', 'Standard Event Counter', '标准事件计数'),
  EVCOUNT1: object(data, '0.0.96.15.1.255', 'Fraud Event Counter', '窃电事件计数'),
  ALARM_2: object(data, '0.0.97.98.1.255', 'Alarm Register 2', '告警寄存器2'),
  ALARM_3: object(data, '0.0.97.98.2.255', 'Alarm Register 3', '告警寄存器3'),
  MONTHLY: object(profileGeneric, '0.0.98.1.0.255', 'Monthly Freeze', '月冻结'),
  EVLOG3: object(profileGeneric, '0.0.99.98.3.255', 'M-Bus Event Log', 'M-Bus事件日志'),
  ERROR: object(data, '0.0.97.97.0.255', 'Error Register', '错误寄存器'),
  ALARM: object(data, '0.0.97.98.0.255', 'Alarm Register', '告警寄存器'),
  ALARM_FILTER: object(data, '0.0.97.98.10.255', 'Alarm Filter', '告警过滤'),
  ALARM_DESCRIPTOR: object(data, '0.0.97.98.20.255', 'Alarm Descriptor', '告警描述'),
  POWER_FAILURES: object(data, '0.0.96.7.0.255', 'Power Failures', '停电次数'),

  SCRIPTS_RESET: object(scriptTable, '0.0.10.0.0.255', 'Global Reset Scripts', '全局复位脚本'),
  SCRIPTS_MDI_RESET: object(scriptTable, '0.0.10.0.1.255', 'Demand Reset Scripts', '需量清零脚本'),
  SCRIPTS_TARIFF: object(scriptTable, '0.0.10.0.100.255', 'Tariff Scripts', '费率脚本'),
  SCRIPTS_RELAY: object(scriptTable, '0.0.10.0.106.255', 'Disconnector Scripts', '拉合闸脚本'),
  SCRIPTS_IMAGE: object(scriptTable, '0.0.10.0.107.255', 'Image Activation Scripts', '升级激活脚本'),
  SCRIPTS_PUSH: object(scriptTable, '0.0.10.0.108.255', 'Push Scripts', '上报脚本'),
  SCHEDULE_BILLING: object(singleActionSchedule, '0.0.15.0.0.255', 'End of Billing Schedule', '结算日计划'),
  SCHEDULE_RELAY: object(singleActionSchedule, '0.0.15.0.1.255', 'Disconnector Schedule', '拉合闸计划'),
  SCHEDULE_IMAGE: object(singleActionSchedule, '0.0.15.0.2.255', 'Image Activation Schedule', '升级激活计划'),
  SCHEDULE_PUSH: object(singleActionSchedule, '0.0.15.0.4.255', 'Push Schedule', '上报计划'),
  CALENDAR: object(activityCalendar, '0.0.13.0.0.255', 'Activity Calendar', '费率日历'),
  SPECIAL_DAYS: object(specialDaysTable, '0.0.11.0.0.255', 'Special Days', '特殊日'),
  REGISTER_MONITOR: object(registerMonitor, '0.0.16.0.0.255', 'Register Monitor', '寄存器监控'),
  ALARM_MONITOR: object(registerMonitor, '0.0.16.1.0.255', 'Alarm Monitor', '告警监控'),
  LIMITER: object(limiter, '0.0.17.0.0.255', 'Load Limiter', '负荷限制'),
  IMAGE: object(imageTransfer, '0.0.44.0.0.255', 'Image Transfer', '固件升级'),
  ARRAYS: object(arrayManager, '0.0.18.0.0.255', 'Array Manager', '数组管理'),

  HDLC: object(iecHdlcSetup, '0.0.22.0.0.255', 'HDLC Setup', 'HDLC 设置'),
  TCP_UDP: object(tcpUdpSetup, '0.0.25.0.0.255', 'TCP-UDP Setup', 'TCP-UDP 设置'),
  IPV4: object(ipv4Setup, '0.0.25.1.0.255', 'IPv4 Setup', 'IPv4 设置'),
  MAC: object(macAddressSetup, '0.0.25.2.0.255', 'MAC Address', 'MAC 地址'),
  PPP: object(pppSetup, '0.0.25.3.0.255', 'PPP Setup', 'PPP 设置'),
  GPRS: object(gprsModemSetup, '0.0.25.4.0.255', 'GPRS Modem Setup', 'GPRS 模块设置'),
  GSM: object(gsmDiagnostic, '0.0.25.6.0.255', 'GSM Diagnostic', 'GSM 诊断'),
  IPV6: object(ipv6Setup, '0.0.25.7.0.255', 'IPv6 Setup', 'IPv6 设置'),
  NTP: object(ntpSetup, '0.0.25.10.0.255', 'NTP Setup', 'NTP 设置'),
  AUTO_CONNECT: object(autoConnect, '0.0.2.1.0.255', 'Auto Connect', '自动连接'),
  M_BUS: object(mBusClient, '0.1.24.1.0.255', 'M-Bus Channel 1', 'M-Bus 通道1'),
  PRIME_LLC: object(iec61334432LlcSscsSetup, '0.0.28.0.0.255', 'PRIME LLC Setup', 'PRIME 链路层设置'),
  PRIME_PHY_COUNTERS: object(primeNbOfdmPlcPhysicalLayerCounters, '0.0.28.1.0.255', 'PRIME Physical Counters', 'PRIME 物理层计数'),
  PRIME_MAC_SETUP: object(primeNbOfdmPlcMacSetup, '0.0.28.2.0.255', 'PRIME MAC Setup', 'PRIME MAC 设置'),
  PRIME_MAC_PARAMETERS: object(primeNbOfdmPlcMacFunctionalParameters, '0.0.28.3.0.255', 'PRIME MAC Parameters', 'PRIME MAC 参数'),
  PRIME_MAC_COUNTERS: object(primeNbOfdmPlcMacCounters, '0.0.28.4.0.255', 'PRIME MAC Counters', 'PRIME MAC 计数'),
  PRIME_NETWORK: object(primeNbOfdmPlcMacNetworkAdministrationData, '0.0.28.5.0.255', 'PRIME Network', 'PRIME 网络拓扑'),
  PRIME_MAC_ADDRESS: object(macAddressSetup, '0.0.28.6.0.255', 'PRIME MAC Address', 'PRIME MAC 地址'),
  PRIME_APPLICATION: object(primeNbOfdmPlcApplicationIdentification, '0.0.28.7.0.255', 'PRIME Modem Identity', 'PRIME 模块标识'),
  G3_COUNTERS: object(g3PlcMacLayerCounters, '0.0.29.0.0.255', 'G3-PLC Counters', 'G3-PLC 计数'),
  G3_MAC: object(g3PlcMacSetup, '0.0.29.1.0.255', 'G3-PLC MAC Setup', 'G3-PLC MAC 设置'),
  G3_ROUTES: object(g3Plc6lowpanAdaptationLayerSetup, '0.0.29.2.0.255', 'G3-PLC Routes', 'G3-PLC 路由'),
} as const;

export type WellKnownKey = keyof typeof WELL_KNOWN;

/** Key of the well-known object with this class and logical name. */
export function wellKnownKey(classId: number, instance: Obis): WellKnownKey | undefined {
  return Object.entries(WELL_KNOWN).find(([, known]) => known.cosemClass.id === classId && known.instance === instance)?.[0] as
    | WellKnownKey
    | undefined; // as: entries() widens the keys
}
