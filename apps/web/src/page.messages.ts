import { defineMessages } from '#shared/i18n/messages.ts';

/** Titles of all pages by path, for document title, tab, and the placeholder of planned pages. */
export const titles = defineMessages({
  '/login': { en: 'Log In', zh: '登录' },
  '/403': { en: 'Forbidden', zh: '无权访问' },
  '/dashboard': { en: 'Dashboard', zh: '首页' },
  '/assets/network': { en: 'Network', zh: '网络层级' },
  '/assets/supplier-management': { en: 'Supplier Management', zh: '供应商管理' },
  '/assets/dcu-type-management': { en: 'DCU Type Management', zh: '集中器类型管理' },
  '/assets/meter-type-management': { en: 'Meter Type Management', zh: '电表类型管理' },
  '/assets/transformer': { en: 'Transformer', zh: '变压器' },
  '/assets/dcu': { en: 'DCU', zh: '集中器' },
  '/assets/archives-dispatch': { en: 'Archives Dispatch', zh: '档案下发' },
  '/assets/meter-asset-discovery': { en: 'Meter Asset Discovery', zh: '电表资产发现' },
  '/meter/auto-meter-reading': { en: 'Auto Meter Reading', zh: '自动抄表' },
  '/meter/meter-event': { en: 'Meter Event', zh: '电表事件' },
  '/meter/obis-management': { en: 'OBIS Management', zh: 'OBIS管理' },
  '/meter/collect-plan': { en: 'Collect Plan', zh: '采集方案' },
  '/meter-management/network/network-topology': { en: 'Network Topology', zh: '网络拓扑' },
  '/meter-management/mdms/electric-bill': { en: 'Electricity Bill', zh: '电量账单' },
  '/meter-management/mdms/phase-analysis': { en: 'Phase Analysis', zh: '相位分析' },
  '/action/clock-synchronization': { en: 'Clock Synchronization', zh: '时钟同步' },
  '/action/relay-control': { en: 'Relay Control', zh: '继电器控制' },
  '/action/dcu-configuration': { en: 'DCU Configuration', zh: '集中器配置' },
  '/action/on-demand-reading': { en: 'On-Demand Reading', zh: '点抄' },
  '/action/real-time-reading': { en: 'Real-Time Reading', zh: '实时抄读' },
  '/action/event-reading': { en: 'Event Reading', zh: '事件抄读' },
  '/action/device-command': { en: 'Device Commands', zh: '设备命令' },
  '/system/upgrade/firmware-upgrade': { en: 'Firmware Upgrade', zh: '固件升级' },
  '/system/upgrade/upgrade-detail': { en: 'Upgrade Detail', zh: '升级详情' },
  '/system/system-management/role-management': { en: 'Role Management', zh: '角色管理' },
  '/system/system-management/user-management': { en: 'User Management', zh: '用户管理' },
  '/system/system-management/module-management': { en: 'Module Management', zh: '模块管理' },
  '/system/system-management/audit': { en: 'Audit Log', zh: '审计日志' },
  '/system/system-management/settings': { en: 'Settings', zh: '系统设置' },
  '/system/debug/dcu-log-management': { en: 'DCU Log Management', zh: '集中器日志管理' },
  '/system/debug/sta-model': { en: 'STA Model', zh: 'STA模型' },
  '/system/debug/network-topology-switch': { en: 'Network Topology Switch', zh: '网络拓扑切换' },
});
export type PagePath = keyof typeof titles;

/** Purposes of the planned pages. */
export const purposes = defineMessages({});
export type PlannedPath = keyof typeof purposes;
