import { clock } from '../action/clock.ts';
import { dcuConfig } from '../action/dcu-config.ts';
import { eventRead } from '../action/event-read.ts';
import { onDemandKind, read } from '../action/read.ts';
import { realTime } from '../action/real-time.ts';
import { relay } from '../action/relay.ts';
import type { Action, Allow, Route } from '../core/route.ts';
import type { TaskRow } from './task.ts';

type OrderRoute = Route & { allow: { page: string; action: Action } };

interface Ordered {
  /** How the kind of such a task begins. */
  start: string;
  /** Where it is ordered: who may execute there may order it, and may steer what others ordered. */
  page: string;
  /** That page shows the run, too: its address takes `task`. */
  hasRun?: true;
  /** It has a pause or an end of its own, and is not paused like others. */
  neverPauses?: true;
  /** It reads and changes nothing: this route orders it once more. What changes a device is ordered on its page, which asks what has to be asked. */
  again?: OrderRoute;
}

const ON_DEMAND = '/action/on-demand-reading';

/** What is not named here is a reading. The first beginning that fits counts. */
const ORDERED: readonly Ordered[] = [
  ...onDemandKind.options.map((kind) => ({ start: kind, page: ON_DEMAND, hasRun: true, again: read.onDemand }) as const),
  { start: 'real_time', page: '/action/real-time-reading', hasRun: true, again: realTime.order },
  { start: 'events', page: '/action/event-reading', hasRun: true, again: eventRead.order },
  { start: 'clock_read', page: '/action/clock-synchronization', hasRun: true, again: clock.order },
  { start: 'clock', page: '/action/clock-synchronization', hasRun: true },
  { start: 'relay_read', page: '/action/relay-control', hasRun: true, again: relay.read },
  { start: 'relay', page: '/action/relay-control', hasRun: true },
  { start: 'dcu_config_read', page: '/action/dcu-configuration', hasRun: true, again: dcuConfig.read },
  { start: 'dcu_tasks', page: '/meter/collect-plan' },
  { start: 'dcu', page: '/action/dcu-configuration', hasRun: true },
  { start: 'archive', page: '/assets/archives-dispatch', hasRun: true },
  { start: 'discovery', page: '/assets/meter-asset-discovery', hasRun: true, neverPauses: true },
  { start: 'upgrade', page: '/system/upgrade/upgrade-detail', hasRun: true, neverPauses: true },
  { start: 'refill', page: '/meter/auto-meter-reading' },
  { start: 'audit_readings', page: '/meter/auto-meter-reading' },
  { start: 'learn', page: '/assets/meter-type-management' },
  { start: 'conformance', page: '/assets/dcu-type-management' },
  { start: 'topology_switch', page: '/system/debug/network-topology-switch' },
  { start: 'topology', page: '/meter-management/network/network-topology' },
  { start: 'modules', page: '/system/debug/sta-model' },
  { start: 'station', page: '/system/debug/sta-model' },
  { start: 'bill', page: '/meter-management/mdms/electric-bill' },
  { start: 'phase', page: '/meter-management/mdms/phase-analysis' },
];

/** Beginnings of the kinds of task whose run a page of the console shows. */
export const RUN_KINDS: readonly string[] = ORDERED.filter(({ hasRun }) => hasRun).map(({ start }) => start);

const orderedOf = (kind: string): Ordered => ORDERED.find(({ start }) => kind.startsWith(start)) ?? { start: '', page: ON_DEMAND };

/** The right to order such a task, which is also the right to steer it and to send any of it again. */
export const orderRight = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): { allow: Exclude<Allow, string> } => ({
  allow: { page: source === 'plan' ? '/meter/collect-plan' : orderedOf(kind).page, action: 'execute' },
});

/** The page of its own that shows such a run; undefined: there is none, and it is shown like a reading. */
export function runPageOf({ kind }: { kind: string }): string | undefined {
  const { hasRun, page } = orderedOf(kind);
  return hasRun ? page : undefined;
}

/** Whether such a task can be paused while it runs. */
export const canPause = ({ kind }: Pick<TaskRow, 'kind'>): boolean => orderedOf(kind).neverPauses !== true;

/** The route whose right it takes to order a task once more; undefined where that cannot be: what a plan ordered is ordered by the plan. */
export const orderAgain = ({ kind, source }: Pick<TaskRow, 'kind' | 'source'>): OrderRoute | undefined =>
  source === 'user' || source === 'api' ? orderedOf(kind).again : undefined;
