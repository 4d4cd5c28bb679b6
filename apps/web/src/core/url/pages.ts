import type { Text } from '@hes/contract/core/text.ts';

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
  belongsTo?: string;
}

/** All pages by path, which is also the folder: `pages/assets/dcu/page.tsx`. */
const rows = {
  '/login': { title: { en: 'Log In', zh: '登录' }, isBare: true },
  '/403': { title: { en: 'Forbidden', zh: '无权访问' }, isBare: true },
  '/dashboard': { title: { en: 'Dashboard', zh: '首页' }, isPlain: true, isKept: true, isOutsideMenu: true },
  '/assets/network': { title: { en: 'Network', zh: '网络层级' } },
  '/assets/supplier-management': { title: { en: 'Supplier Management', zh: '供应商管理' } },
  '/assets/dcu-type-management': { title: { en: 'DCU Type Management', zh: '集中器类型管理' } },
  '/assets/meter-type-management': { title: { en: 'Meter Type Management', zh: '电表类型管理' } },
  '/assets/transformer': { title: { en: 'Transformer', zh: '变压器' } },
  '/assets/dcu': { title: { en: 'DCU', zh: '集中器' } },
  '/assets/archives-dispatch': { title: { en: 'Archives Dispatch', zh: '档案下发' } },
  '/assets/meter-asset-discovery': { title: { en: 'Meter Asset Discovery', zh: '电表资产发现' } },
  '/meter/auto-meter-reading': { title: { en: 'Auto Meter Reading', zh: '自动抄表' } },
  '/meter/meter-event': { title: { en: 'Meter Event', zh: '电表事件' } },
  '/meter/obis-management': { title: { en: 'OBIS Management', zh: 'OBIS管理' } },
  '/meter/collect-plan': { title: { en: 'Collect Plan', zh: '采集方案' } },
  '/meter-management/network/network-topology': { title: { en: 'Network Topology', zh: '网络拓扑' }, isKept: true },
  '/meter-management/mdms/electric-bill': { title: { en: 'Electricity Bill', zh: '电量账单' } },
  '/meter-management/mdms/phase-analysis': { title: { en: 'Phase Analysis', zh: '相位分析' } },
  '/action/clock-synchronization': { title: { en: 'Clock Synchronization', zh: '时钟同步' } },
  '/action/relay-control': { title: { en: 'Relay Control', zh: '继电器控制' } },
  '/action/dcu-configuration': { title: { en: 'DCU Configuration', zh: '集中器配置' } },
  '/action/on-demand-reading': { title: { en: 'On-Demand Reading', zh: '点抄' } },
  '/action/real-time-reading': { title: { en: 'Real-Time Reading', zh: '实时抄读' } },
  '/action/event-reading': { title: { en: 'Event Reading', zh: '事件抄读' } },
  '/action/device-command': { title: { en: 'Device Commands', zh: '设备命令' } },
  '/system/upgrade/firmware-upgrade': { title: { en: 'Firmware Upgrade', zh: '固件升级' } },
  '/system/upgrade/upgrade-detail': { title: { en: 'Upgrade Detail', zh: '升级详情' }, isOutsideMenu: true },
  '/system/system-management/role-management': { title: { en: 'Role Management', zh: '角色管理' } },
  '/system/system-management/user-management': { title: { en: 'User Management', zh: '用户管理' } },
  '/system/system-management/module-management': { title: { en: 'Module Management', zh: '模块管理' } },
  '/system/system-management/audit': { title: { en: 'Audit Log', zh: '审计日志' }, belongsTo: '/system/system-management/user-management' },
  '/system/system-management/settings': {
    title: { en: 'Settings', zh: '系统设置' },
    belongsTo: '/system/system-management/module-management',
  },
  '/system/debug/dcu-log-management': { title: { en: 'DCU Log Management', zh: '集中器日志管理' } },
  '/system/debug/sta-model': { title: { en: 'STA Model', zh: 'STA模型' } },
  '/system/debug/network-topology-switch': { title: { en: 'Network Topology Switch', zh: '网络拓扑切换' } },
} as const satisfies Record<string, PageRow>;

export type PagePath = keyof typeof rows;

/** All that is known about a page, by its path. */
export const PAGES: Readonly<Record<PagePath, PageRow>> = rows;
export const PAGE_PATHS = Object.keys(rows) as PagePath[]; // as: keys of that very table

export const HOME = '/dashboard' satisfies PagePath;

export const isPage = (path: string): path is PagePath => Object.hasOwn(rows, path);

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
