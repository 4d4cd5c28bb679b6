// Written by `npm run golden` from the files beside it.
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { billingPeriodOperations } from './billing-period/operation.ts';
import { keyTransferOperations } from './key-transfer/operation.ts';
import { relayOperations } from './relay/operation.ts';

/** The operations of every feature that has a folder of its own. */
export const featureOperations = (tools: OperationTools) => ({
  ...billingPeriodOperations(tools),
  ...keyTransferOperations(tools),
  ...relayOperations(tools),
});
