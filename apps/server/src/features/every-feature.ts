import type { FieldFeatures } from '#field/start-field.ts';
import { DcuCaches } from '#field/profiles/dcu-caches.ts';
import { Restarts } from '#field/operations/restarts.ts';
import type { Switches } from '#platform/switch-ledger.ts';
import type { PeriodicJobs } from '#tasks/start-tasks.ts';
import { watchGaps, watchPlans } from './collection/port.ts';
import { operationsOf } from './every-operation.ts';
import type { FeatureTools } from './feature-tools.ts';
import { featureWatches } from './feature-watches.ts';
import { watchTopologies } from './topology/port.ts';
import { USUAL_PACE, type UpgradePace } from './upgrade/port.ts';

interface FeatureOptions {
  /** Ledger of started relay commands, kept across restarts. */
  switches: Switches;
  upgradePace?: UpgradePace;
}

/** Operations and periodic jobs of all features, for `startField`. */
export const fieldFeatures =
  ({ switches, upgradePace = USUAL_PACE }: FeatureOptions): FieldFeatures =>
  (fieldTools) => {
    const tools: FeatureTools = {
      ...fieldTools,
      caches: new DcuCaches(),
      restarts: new Restarts(),
      upgradePace,
      relayAlarms: new Map(),
      switches,
    };
    return { operations: operationsOf(tools), watches: featureWatches(tools) };
  };

/** Periodic jobs of all features that place orders, for `startTasks`. */
export const periodicJobs: PeriodicJobs = (ctx, turns) => [watchPlans(ctx), watchTopologies(ctx, turns), watchGaps(ctx, turns)];
