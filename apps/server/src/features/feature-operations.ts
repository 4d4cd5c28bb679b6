// Written by `npm run golden` from the files of this folder.
import type { FeatureTools } from './feature-tools.ts';
import { archiveOperations } from './archive/operation.ts';
import { dcuOperations } from './assets/dcu/operation.ts';
import { objectListOperations } from './assets/meter-type/operation.ts';
import { auditReadingsOperations } from './audit-readings/operation.ts';
import { billingPeriodOperations } from './billing-period/operation.ts';
import { clockOperations } from './clock/operation.ts';
import { collectionOperations } from './collection/operation.ts';
import { discoveryOperations } from './discovery/operation.ts';
import { eventOperations } from './events/operation.ts';
import { keyTransferOperations } from './key-transfer/operation.ts';
import { onDemandOperations } from './on-demand/operation.ts';
import { dcuParameterOperations } from './parameters/operation.ts';
import { realTimeOperations } from './real-time/operation.ts';
import { relayOperations } from './relay/operation.ts';
import { topologyOperations } from './topology/operation.ts';
import { upgradeOperations } from './upgrade/transfer/operation.ts';

/** The operations of every feature with a separate folder. */
export const featureOperations = (tools: FeatureTools) => ({
  ...archiveOperations(tools),
  ...dcuOperations(tools),
  ...objectListOperations(tools),
  ...auditReadingsOperations(tools),
  ...billingPeriodOperations(tools),
  ...clockOperations(tools),
  ...collectionOperations(tools),
  ...discoveryOperations(tools),
  ...eventOperations(tools),
  ...keyTransferOperations(tools),
  ...onDemandOperations(tools),
  ...dcuParameterOperations(tools),
  ...realTimeOperations(tools),
  ...relayOperations(tools),
  ...topologyOperations(tools),
  ...upgradeOperations(tools),
});
