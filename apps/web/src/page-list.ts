import type { ComponentType } from 'react';
import { purposes, type PagePath, type PlannedPath } from './page.messages.ts';

export interface PageEntry {
  path: PagePath;
  /** `bare`: no header, no tabs, no sign-in required. */
  frame: 'shell' | 'bare';
  /** Renders without the component library, and so does not wait for its code. */
  isPlain?: true;
  load: () => Promise<{ default: ComponentType }>;
}

/** All built pages; the path is also the folder: `pages/assets/dcu/page.tsx`. */
export const pages: readonly PageEntry[] = [
  { path: '/login', frame: 'bare', load: () => import('./pages/login/page.tsx') },
  { path: '/403', frame: 'bare', load: () => import('./pages/403/page.tsx') },
  { path: '/dashboard', frame: 'shell', isPlain: true, load: () => import('./pages/dashboard/page.tsx') },
  { path: '/assets/network', frame: 'shell', load: () => import('./pages/assets/network/page.tsx') },
  { path: '/assets/supplier-management', frame: 'shell', load: () => import('./pages/assets/supplier-management/page.tsx') },
  { path: '/assets/dcu-type-management', frame: 'shell', load: () => import('./pages/assets/dcu-type-management/page.tsx') },
  { path: '/assets/meter-type-management', frame: 'shell', load: () => import('./pages/assets/meter-type-management/page.tsx') },
  { path: '/assets/archives-dispatch', frame: 'shell', load: () => import('./pages/assets/archives-dispatch/page.tsx') },
  { path: '/assets/transformer', frame: 'shell', load: () => import('./pages/assets/transformer/page.tsx') },
  { path: '/assets/meter-asset-discovery', frame: 'shell', load: () => import('./pages/assets/meter-asset-discovery/page.tsx') },
  { path: '/assets/dcu', frame: 'shell', load: () => import('./pages/assets/dcu/page.tsx') },
  { path: '/meter/auto-meter-reading', frame: 'shell', load: () => import('./pages/meter/auto-meter-reading/page.tsx') },
  { path: '/meter/obis-management', frame: 'shell', load: () => import('./pages/meter/obis-management/page.tsx') },
  { path: '/meter/collect-plan', frame: 'shell', load: () => import('./pages/meter/collect-plan/page.tsx') },
  { path: '/action/on-demand-reading', frame: 'shell', load: () => import('./pages/action/on-demand-reading/page.tsx') },
  { path: '/meter/meter-event', frame: 'shell', load: () => import('./pages/meter/meter-event/page.tsx') },
  { path: '/action/event-reading', frame: 'shell', load: () => import('./pages/action/event-reading/page.tsx') },
  { path: '/action/device-command', frame: 'shell', load: () => import('./pages/action/device-command/page.tsx') },
  { path: '/action/clock-synchronization', frame: 'shell', load: () => import('./pages/action/clock-synchronization/page.tsx') },
  { path: '/action/dcu-configuration', frame: 'shell', load: () => import('./pages/action/dcu-configuration/page.tsx') },
  { path: '/action/relay-control', frame: 'shell', load: () => import('./pages/action/relay-control/page.tsx') },
  {
    path: '/meter-management/mdms/electric-bill',
    frame: 'shell',
    load: () => import('./pages/meter-management/mdms/electric-bill/page.tsx'),
  },
  {
    path: '/meter-management/network/network-topology',
    frame: 'shell',
    load: () => import('./pages/meter-management/network/network-topology/page.tsx'),
  },
  {
    path: '/meter-management/mdms/phase-analysis',
    frame: 'shell',
    load: () => import('./pages/meter-management/mdms/phase-analysis/page.tsx'),
  },
  { path: '/action/real-time-reading', frame: 'shell', load: () => import('./pages/action/real-time-reading/page.tsx') },
  { path: '/system/upgrade/firmware-upgrade', frame: 'shell', load: () => import('./pages/system/upgrade/firmware-upgrade/page.tsx') },
  { path: '/system/upgrade/upgrade-detail', frame: 'shell', load: () => import('./pages/system/upgrade/upgrade-detail/page.tsx') },
  { path: '/system/debug/sta-model', frame: 'shell', load: () => import('./pages/system/debug/sta-model/page.tsx') },
  {
    path: '/system/debug/network-topology-switch',
    frame: 'shell',
    load: () => import('./pages/system/debug/network-topology-switch/page.tsx'),
  },
  {
    path: '/system/system-management/role-management',
    frame: 'shell',
    load: () => import('./pages/system/system-management/role-management/page.tsx'),
  },
  {
    path: '/system/system-management/user-management',
    frame: 'shell',
    load: () => import('./pages/system/system-management/user-management/page.tsx'),
  },
  {
    path: '/system/system-management/module-management',
    frame: 'shell',
    load: () => import('./pages/system/system-management/module-management/page.tsx'),
  },
  {
    path: '/system/debug/dcu-log-management',
    frame: 'shell',
    load: () => import('./pages/system/debug/dcu-log-management/page.tsx'),
  },
  { path: '/system/system-management/audit', frame: 'shell', load: () => import('./pages/system/system-management/audit/page.tsx') },
  { path: '/system/system-management/settings', frame: 'shell', load: () => import('./pages/system/system-management/settings/page.tsx') },
];

/** Pages of the specification that still open "not built yet". */
export const plannedPaths = Object.keys(purposes) as PlannedPath[]; // keys of that very object

export const HOME = '/dashboard' satisfies PagePath;

const built = new Set<string>(pages.map((page) => page.path));
export const isBuilt = (path: string): boolean => built.has(path);
