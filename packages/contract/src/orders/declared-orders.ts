// Written by `npm run golden` from the files of this folder.
import { archiveOrders } from './archive.ts';
import { billingPeriodOrders } from './billing-period.ts';
import { clockOrders } from './clock.ts';
import { computationOrders } from './computation.ts';
import { dcuOrders } from './dcu.ts';
import { deviceTypeOrders } from './device-type.ts';
import { discoveryOrders } from './discovery.ts';
import { eventOrders } from './event.ts';
import { keyTransferOrders } from './key-transfer.ts';
import { readingOrders } from './reading.ts';
import { relayOrders } from './relay.ts';
import { topologyOrders } from './topology.ts';
import { upgradeOrders } from './upgrade.ts';

/** The orders of every file of this folder. */
export const declaredOrders = {
  ...archiveOrders,
  ...billingPeriodOrders,
  ...clockOrders,
  ...computationOrders,
  ...dcuOrders,
  ...deviceTypeOrders,
  ...discoveryOrders,
  ...eventOrders,
  ...keyTransferOrders,
  ...readingOrders,
  ...relayOrders,
  ...topologyOrders,
  ...upgradeOrders,
};
