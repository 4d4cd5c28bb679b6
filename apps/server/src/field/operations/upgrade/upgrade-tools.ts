import type { OperationTools } from '../operation-tools.ts';
import type { QueueAhead } from './give-way.ts';
import type { Restarts } from './restarts.ts';

/** What all turns of upgrades share. */
export interface UpgradeTools extends OperationTools {
  queue: QueueAhead;
  restarts: Restarts;
}
