import type { FeatureTools } from '#features/feature-tools.ts';
import type { QueueAhead } from './give-way.ts';

/** What all turns of upgrades share. */
export interface UpgradeTools extends FeatureTools {
  queue: QueueAhead;
}
