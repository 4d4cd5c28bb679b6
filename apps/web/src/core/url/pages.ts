import { words } from '#core/i18n/words.messages.ts';
import { common } from '#core/i18n/common.messages.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { PAGE_PATH, type PagePath } from '@hes/contract/page/paths.ts';

interface PageRow {
  /** For the document title and the tab. */
  title: Text;
  /** No header, no tabs, no sign-in required. */
  isBare?: true;
  /** Renders without the component library, and so does not wait for its code. */
  isPlain?: true;
  /** Expensive to render and often visited: stays mounted while hidden. Every visit mounts other pages again. */
  isKept?: true;
  /** In the module tree for its permission, but not shown in the menu (@spec seed §2). */
  isOutsideMenu?: true;
  /** The page that opens this one, which is no module: its permission applies. */
  belongsTo?: PagePath;
}

/** All that is known about a page, by its path, which is also the folder: `pages/assets/dcu/page.tsx`. */
export const PAGES: Readonly<Record<PagePath, PageRow>> = {
  [PAGE_PATH.login]: { title: { en: 'Log In', zh: '登录' }, isBare: true },
  [PAGE_PATH.forbidden]: { title: { en: 'Forbidden', zh: '无权访问' }, isBare: true },
  [PAGE_PATH.dashboard]: { title: { en: 'Dashboard', zh: '首页' }, isPlain: true, isKept: true, isOutsideMenu: true },
  [PAGE_PATH.network]: { title: words.networkLevel },
  [PAGE_PATH.suppliers]: { title: { en: 'Supplier Management', zh: '供应商管理' } },
  [PAGE_PATH.dcuTypes]: { title: { en: 'DCU Type Management', zh: '集中器类型管理' } },
  [PAGE_PATH.meterTypes]: { title: { en: 'Meter Type Management', zh: '电表类型管理' } },
  [PAGE_PATH.transformers]: { title: common.transformer },
  [PAGE_PATH.dcus]: { title: words.dcu },
  [PAGE_PATH.certificates]: { title: { en: 'Certificates', zh: '证书管理' } },
  [PAGE_PATH.connect]: { title: { en: 'Connect a Device', zh: '接入设备' } },
  [PAGE_PATH.archives]: { title: { en: 'Archives Dispatch', zh: '档案下发' } },
  [PAGE_PATH.meterAssets]: { title: { en: 'Meter Asset Discovery', zh: '电表资产发现' } },
  [PAGE_PATH.status]: { title: { en: 'Status', zh: '设备状态' }, belongsTo: PAGE_PATH.meterAssets },
  [PAGE_PATH.readings]: { title: { en: 'Auto Meter Reading', zh: '自动抄表' } },
  [PAGE_PATH.events]: { title: { en: 'Meter Event', zh: '电表事件' } },
  [PAGE_PATH.obis]: { title: { en: 'OBIS Management', zh: 'OBIS管理' } },
  [PAGE_PATH.plans]: { title: { en: 'Collect Plan', zh: '采集方案' } },
  [PAGE_PATH.topology]: { title: words.networkTopology, isKept: true },
  [PAGE_PATH.bills]: { title: { en: 'Electricity Bill', zh: '电量账单' } },
  [PAGE_PATH.lineLoss]: { title: { en: 'Line Loss', zh: '线损分析' } },
  [PAGE_PATH.phases]: { title: { en: 'Phase Analysis', zh: '相位分析' } },
  [PAGE_PATH.clocks]: { title: { en: 'Clock Synchronization', zh: '时钟同步' } },
  [PAGE_PATH.relays]: { title: { en: 'Relay Control', zh: '继电器控制' } },
  [PAGE_PATH.dcuConfiguration]: { title: { en: 'DCU Configuration', zh: '集中器配置' } },
  [PAGE_PATH.onDemandReading]: { title: { en: 'On-Demand Reading', zh: '点抄' } },
  [PAGE_PATH.realTimeReading]: { title: { en: 'Real-Time Reading', zh: '实时抄读' } },
  [PAGE_PATH.eventReading]: { title: { en: 'Event Reading', zh: '事件抄读' } },
  [PAGE_PATH.deviceCommands]: { title: { en: 'Device Commands', zh: '设备命令' } },
  [PAGE_PATH.upgrades]: { title: { en: 'Firmware Upgrade', zh: '固件升级' } },
  [PAGE_PATH.upgradeRecords]: { title: { en: 'Upgrade Detail', zh: '升级详情' }, isOutsideMenu: true },
  [PAGE_PATH.roles]: { title: { en: 'Role Management', zh: '角色管理' } },
  [PAGE_PATH.users]: { title: words.userManagement },
  [PAGE_PATH.modules]: { title: words.moduleManagement },
  [PAGE_PATH.audit]: { title: words.auditLog, belongsTo: PAGE_PATH.users },
  [PAGE_PATH.settings]: {
    title: words.settings,
    belongsTo: PAGE_PATH.modules,
  },
  [PAGE_PATH.nodes]: { title: { en: 'Nodes', zh: '主站节点' } },
  [PAGE_PATH.deliveries]: { title: { en: 'Deliveries', zh: '数据推送' } },
  [PAGE_PATH.alarms]: { title: { en: 'Alarms', zh: '告警通知' } },
  [PAGE_PATH.identityProviders]: { title: { en: 'Identity Providers', zh: '身份提供方' } },
  [PAGE_PATH.dcuLog]: { title: { en: 'DCU Log Management', zh: '集中器日志管理' } },
  [PAGE_PATH.stations]: { title: { en: 'STA Model', zh: 'STA模型' } },
  [PAGE_PATH.topologySwitch]: { title: { en: 'Network Topology Switch', zh: '网络拓扑切换' } },
};

export const PAGE_PATHS = Object.keys(PAGES) as PagePath[]; // as: keys of that very table

export const HOME = PAGE_PATH.dashboard;

export const isPage = (path: string): path is PagePath => Object.hasOwn(PAGES, path);

/** The row of a page; undefined for groups and unknown paths. */
export const pageAt = (path: string): PageRow | undefined => (isPage(path) ? PAGES[path] : undefined);

/** Groups such as `/assets` and `/meter-management/network` redirect to their first page. */
export const groupPaths: readonly string[] = [
  ...new Set(PAGE_PATHS.flatMap((path) => [...path.matchAll(/(?<=.)\//g)].map((slash) => path.slice(0, slash.index)))),
];

/** Properties of a route for the document title, the tabs and the layout. */
export interface RouteMeta {
  title: Text | undefined;
  /** Every visit mounts the page again; otherwise it stays mounted while hidden. */
  ignoreCache: boolean;
  disableTab: boolean;
}

export function metaOf(path: string): RouteMeta {
  const page = pageAt(path);
  return { title: page?.title, ignoreCache: page?.isKept !== true, disableTab: page === undefined || page.isBare === true };
}
