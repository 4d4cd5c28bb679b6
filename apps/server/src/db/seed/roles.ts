import { ACTIONS, type Action } from '@hes/contract/core/route.ts';
import { DELIVERED_ROLES, type DeliveredRole } from '@hes/contract/text/roles.ts';
import { MODULES } from './modules.ts';

export interface SeedRole {
  code: string;
  name: string;
  description: string;
  /** Actions on each visible page of the role. */
  grants: Map<string, readonly Action[]>;
}

const ALL = ACTIONS;
const VIEW: readonly Action[] = ['view'];
const EXECUTE: readonly Action[] = ['view', 'execute'];

/** A path of a page, or of everything below a group (`/assets/*`). The first match applies. */
type Grants = [pattern: string, actions: readonly Action[]][];

const fits = (pattern: string, path: string) => (pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path);

function grantsOf(lines: Grants): Map<string, readonly Action[]> {
  const grants = new Map<string, readonly Action[]>();
  for (const { path, type } of MODULES) {
    const line = type === 'page' ? lines.find(([pattern]) => fits(pattern, path)) : undefined;
    if (line !== undefined && line[1].length > 0) grants.set(path, line[1]);
  }
  return grants;
}

const role = (code: DeliveredRole, lines: Grants): SeedRole => ({
  code,
  name: DELIVERED_ROLES[code].name.en,
  description: DELIVERED_ROLES[code].about.en,
  grants: grantsOf(lines),
});

const READ_PAGES: Grants = [
  ['/action/clock-synchronization', EXECUTE],
  ['/action/on-demand-reading', EXECUTE],
  ['/action/real-time-reading', EXECUTE],
  ['/action/event-reading', EXECUTE],
];

/** The built-in roles. */
export const ROLES: SeedRole[] = [
  role('ADMIN', [
    // Operators create orders and uploads; the administrator approves them.
    ['/action/relay-control', ['view', 'execute', 'approve', 'export']],
    ['/system/upgrade/*', ['view', 'approve', 'export']],
    ['/*', ALL],
  ]),
  role('OPERATOR', [
    ['/assets/*', VIEW],
    ['/meter/auto-meter-reading', ['view', 'edit']],
    ['/meter/meter-event', ['view', 'edit']],
    ['/meter-management/*', VIEW],
    ...READ_PAGES,
    ['/action/relay-control', EXECUTE],
  ]),
  role('DATA_ENGINEER', [
    ['/assets/*', VIEW],
    ['/meter/*', ALL],
    ['/meter-management/*', VIEW],
    ...READ_PAGES,
    ['/action/device-command', EXECUTE],
    ['/system/debug/*', VIEW],
  ]),
  role('COMM_ENGINEER', [
    ['/assets/dcu', ['view', 'edit']],
    ['/assets/archives-dispatch', EXECUTE],
    ['/assets/meter-asset-discovery', EXECUTE],
    ['/assets/*', VIEW],
    ['/meter/*', VIEW],
    ['/meter-management/network/*', ALL],
    ...READ_PAGES,
    ['/action/dcu-configuration', EXECUTE],
    ['/system/upgrade/*', VIEW],
    ['/system/debug/*', ALL],
  ]),
  role('ASSET_CLERK', [
    ['/assets/*', ALL],
    ['/meter/auto-meter-reading', VIEW],
    ['/meter/meter-event', VIEW],
    ['/meter-management/*', VIEW],
  ]),
  role('LOSS_ANALYST', [
    ['/assets/*', VIEW],
    ['/meter/auto-meter-reading', ['view', 'export']],
    ['/meter/meter-event', ['view', 'export']],
    ['/meter-management/*', ALL],
    ['/action/on-demand-reading', EXECUTE],
    ['/action/real-time-reading', EXECUTE],
    ['/action/event-reading', EXECUTE],
  ]),
  role('FW_ENGINEER', [
    ['/assets/*', VIEW],
    ['/system/upgrade/*', ACTIONS.filter((action) => action !== 'approve')],
    ['/system/debug/*', VIEW],
  ]),
  role('AUDITOR', [
    ['/assets/*', VIEW],
    ['/meter/*', VIEW],
    ['/meter-management/*', VIEW],
    ['/action/relay-control', VIEW],
    ['/action/dcu-configuration', VIEW],
    ['/action/device-command', VIEW],
    ['/system/upgrade/*', VIEW],
    ['/system/system-management/*', VIEW],
  ]),
];
