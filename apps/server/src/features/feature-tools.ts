import type { DcuCaches } from '#field/profiles/dcu-caches.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import type { Restarts } from '#field/operations/restarts.ts';
import type { Switches } from '#platform/switch-ledger.ts';
import type { UpgradePace } from './upgrade/port.ts';

/** The tools of the field engine, and the state that features keep while it runs. */
export interface FeatureTools extends OperationTools {
  caches: DcuCaches;
  /** Meters that restart after an upgrade. */
  restarts: Restarts;
  upgradePace: UpgradePace;
  /** Time of the last alarm about relays, by its key. Epoch milliseconds. */
  relayAlarms: Map<string, number>;
  /** Ledger of started relay commands. */
  switches: Switches;
}
