import type { FeatureTools } from '#features/feature-tools.ts';
import type { UrgentCounts } from './yield-to-urgent.ts';

/** Tools that all turns of upgrades share. */
export interface UpgradeTools extends FeatureTools {
  urgentCounts: UrgentCounts;
}
