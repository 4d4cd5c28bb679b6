// Written by `npm run golden` from the files of this folder.
import type { Implemented } from '#http/implement.ts';
import { approvalRoutes } from './approval/routes.ts';
import { archiveRoutes } from './archive/routes.ts';
import { certificateRoutes } from './assets/certificate/routes.ts';
import { dcuTypeRoutes } from './assets/dcu-type/routes.ts';
import { dcuRoutes } from './assets/dcu/routes.ts';
import { exchangeRoutes } from './assets/exchange/routes.ts';
import { keyRoutes } from './assets/keys/routes.ts';
import { levelRoutes } from './assets/level/routes.ts';
import { meterTypeRoutes } from './assets/meter-type/routes.ts';
import { meterRoutes } from './assets/meter/routes.ts';
import { supplierRoutes } from './assets/supplier/routes.ts';
import { transformerRoutes } from './assets/transformer/routes.ts';
import { treeRoutes } from './assets/tree/routes.ts';
import { anomalyRoutes } from './balance/anomaly/routes.ts';
import { balanceRoutes } from './balance/balance/routes.ts';
import { lossRoutes } from './balance/loss/routes.ts';
import { priceRoutes } from './billing/price/routes.ts';
import { clockRoutes } from './clock/routes.ts';
import { planRoutes } from './collection/plan/routes.ts';
import { dashboardRoutes, dashboardCardRoutes } from './dashboard/routes.ts';
import { deviceCommandRoutes } from './device-command/routes.ts';
import { discoveryRoutes } from './discovery/routes.ts';
import { eventReadRoutes } from './events/reading-routes.ts';
import { eventRoutes } from './events/routes.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { readRoutes } from './on-demand/routes.ts';
import { dcuConfigRoutes } from './parameters/routes.ts';
import { dictionaryRoutes } from './people/dictionary/routes.ts';
import { moduleRoutes } from './people/menu/routes.ts';
import { preferenceRoutes } from './people/preference/routes.ts';
import { programRoutes } from './people/program/routes.ts';
import { roleRoutes } from './people/role/routes.ts';
import { settingRoutes } from './people/setting/routes.ts';
import { phaseRoutes } from './phases/routes.ts';
import { obisRoutes } from './reading-items/routes.ts';
import { gapRoutes } from './readings/gap-routes.ts';
import { realTimeRoutes } from './real-time/routes.ts';
import { relayRoutes } from './relay/routes.ts';
import { statusRoutes } from './status/routes.ts';
import { taskRoutes } from './tasks/routes.ts';
import { topologyRoutes } from './topology/routes.ts';
import { staModelRoutes } from './topology/stations/routes.ts';
import { topologySwitchRoutes } from './topology/switches/routes.ts';
import { firmwareRoutes } from './upgrade/firmware/routes.ts';
import { upgradeJobRoutes } from './upgrade/job/routes.ts';
import { upgradeRecordRoutes } from './upgrade/record/routes.ts';

/** The routes of every feature that need no parts. */
export const featureRoutes: Implemented[] = [
  ...approvalRoutes,
  ...archiveRoutes,
  ...certificateRoutes,
  ...dcuTypeRoutes,
  ...dcuRoutes,
  ...exchangeRoutes,
  ...keyRoutes,
  ...levelRoutes,
  ...meterTypeRoutes,
  ...meterRoutes,
  ...supplierRoutes,
  ...transformerRoutes,
  ...treeRoutes,
  ...anomalyRoutes,
  ...balanceRoutes,
  ...lossRoutes,
  ...priceRoutes,
  ...clockRoutes,
  ...planRoutes,
  ...dashboardRoutes,
  ...dashboardCardRoutes,
  ...deviceCommandRoutes,
  ...discoveryRoutes,
  ...eventReadRoutes,
  ...eventRoutes,
  ...nodeRoutes,
  ...readRoutes,
  ...dcuConfigRoutes,
  ...dictionaryRoutes,
  ...moduleRoutes,
  ...preferenceRoutes,
  ...programRoutes,
  ...roleRoutes,
  ...settingRoutes,
  ...phaseRoutes,
  ...obisRoutes,
  ...gapRoutes,
  ...realTimeRoutes,
  ...relayRoutes,
  ...statusRoutes,
  ...taskRoutes,
  ...topologyRoutes,
  ...staModelRoutes,
  ...topologySwitchRoutes,
  ...firmwareRoutes,
  ...upgradeJobRoutes,
  ...upgradeRecordRoutes,
];
