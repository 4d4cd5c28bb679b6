import { clock } from './action/clock.ts';
import { deviceCommand } from './action/device-command.ts';
import { eventRead } from './action/event-read.ts';
import { dcuConfig } from './action/dcu-config.ts';
import { relay } from './action/relay.ts';
import { approval } from './action/approval.ts';
import { heldCall } from './action/held-call.ts';
import { read } from './action/read.ts';
import { realTime } from './action/real-time.ts';
import { anomaly } from './analysis/anomaly.ts';
import { alarm, alarmExport } from './alarm/alarm.ts';
import { alarmChannel } from './alarm/channel.ts';
import { alarmRecipient } from './alarm/recipient.ts';
import { alarmRule } from './alarm/rule.ts';
import { balance, balanceExport } from './analysis/balance.ts';
import { loss, lossExport } from './analysis/loss.ts';
import { bill, billExport, consumptionExport } from './analysis/bill.ts';
import { phase, phaseExport, phaseFactExport } from './analysis/phase.ts';
import { price } from './analysis/price.ts';
import { archive } from './asset/archive.ts';
import { certificate } from './asset/certificate.ts';
import { connecting } from './asset/connecting.ts';
import { dcu } from './asset/dcu.ts';
import { discovery } from './asset/discovery.ts';
import { exchange } from './asset/exchange.ts';
import { meter } from './asset/meter.ts';
import { tree } from './asset/tree.ts';
import { dcuType } from './asset/dcu-type.ts';
import { level } from './asset/level.ts';
import { meterType } from './asset/meter-type.ts';
import { supplier } from './asset/supplier.ts';
import { transformer } from './asset/transformer.ts';
import { external } from './auth/external.ts';
import { proof, secondFactor } from './auth/second-factor.ts';
import { securityKey } from './auth/security-key.ts';
import { session } from './auth/session.ts';
import { token } from './auth/token.ts';
import type { Route } from './core/route.ts';
import { dashboardCard } from './dashboard/card.ts';
import { dashboard } from './dashboard/summary.ts';
import { staModel } from './debug/sta-model.ts';
import { topologySwitch } from './debug/topology-switch.ts';
import { dcuLog, dcuLogExport } from './debug/dcu-log.ts';
import { feed } from './delivery/feed.ts';
import { sender } from './delivery/sender.ts';
import { event } from './event/event.ts';
import { health } from './health/health.ts';
import { audit } from './manager/audit.ts';
import { dictionary } from './manager/dictionary.ts';
import { module } from './manager/module.ts';
import { backup } from './manager/backup.ts';
import { node } from './manager/node.ts';
import { preference } from './manager/preference.ts';
import { program } from './manager/program.ts';
import { identityProvider } from './manager/identity-provider.ts';
import { role } from './manager/role.ts';
import { setting } from './manager/setting.ts';
import { user } from './manager/user.ts';
import { topology } from './network/topology.ts';
import { obis, obisExport, obisImport } from './reading/obis.ts';
import { plan, planExport, planImport } from './reading/plan.ts';
import { gap } from './reading/gap.ts';
import { reading } from './reading/reading.ts';
import { customerStatus } from './status/customer-status.ts';
import { dcuStatus } from './status/dcu-status.ts';
import { transformerStatus } from './status/transformer-status.ts';
import { meterStatus } from './status/meter-status.ts';
import { task } from './task/task.ts';
import { trace } from './trace/trace.ts';
import { exportFile } from './transfer/export.ts';
import { auditExport, roleExport, userExport, userImport } from './transfer/lists.ts';
import {
  certificateExport,
  dcuTypeExport,
  levelImport,
  meterTypeExport,
  levelExport,
  supplierExport,
  supplierImport,
  transformerExport,
  transformerImport,
} from './transfer/assets.ts';
import {
  archiveExport,
  archiveSummaryExport,
  bindingImport,
  dcuExport,
  dcuImport,
  dcuKeyImport,
  discoveryExport,
  installationImport,
  meterExport,
  meterImport,
  meterKeyImport,
} from './transfer/devices.ts';
import {
  anomalyExport,
  approvalExport,
  clockExport,
  eventExport,
  firmwareExport,
  incidentExport,
  relayExport,
  relayLogExport,
  stationExport,
  topologySwitchExport,
  upgradeJobExport,
} from './transfer/orders.ts';
import { completenessExport, dailyExport, gapExport, manualReadingImport, profileExport } from './transfer/readings.ts';
import { firmware, firmwareKey } from './upgrade/firmware.ts';
import { upgradeJob } from './upgrade/job.ts';
import { upgradeRecord, upgradeRecordExport } from './upgrade/record.ts';
import { whiteList } from './white/list.ts';

/** All route groups of the API, from which the OpenAPI document and the tests of all routes are derived. */
export const everyRoute = {
  health,
  whiteList,
  topology,
  staModel,
  stationExport,
  topologySwitch,
  topologySwitchExport,
  token,
  secondFactor,
  securityKey,
  external,
  identityProvider,
  proof,
  session,
  module,
  backup,
  node,
  user,
  program,
  feed,
  sender,
  alarm,
  alarmExport,
  alarmRule,
  alarmChannel,
  alarmRecipient,
  role,
  roleExport,
  preference,
  audit,
  setting,
  dictionary,
  tree,
  transformer,
  levelImport,
  supplierImport,
  levelExport,
  supplierExport,
  certificateExport,
  dcuTypeExport,
  meterTypeExport,
  transformerImport,
  transformerExport,
  supplier,
  certificate,
  connecting,
  meterType,
  level,
  dcuType,
  dcu,
  dcuImport,
  dcuKeyImport,
  dcuExport,
  meter,
  meterImport,
  meterKeyImport,
  installationImport,
  meterExport,
  customerStatus,
  exchange,
  meterStatus,
  dcuStatus,
  transformerStatus,
  bindingImport,
  archiveExport,
  archiveSummaryExport,
  archive,
  discovery,
  discoveryExport,
  obis,
  obisImport,
  obisExport,
  plan,
  planExport,
  planImport,
  reading,
  gap,
  gapExport,
  completenessExport,
  dailyExport,
  profileExport,
  manualReadingImport,
  read,
  realTime,
  eventRead,
  clock,
  deviceCommand,
  clockExport,
  relay,
  relayExport,
  relayLogExport,
  dcuConfig,
  approval,
  heldCall,
  approvalExport,
  event,
  eventExport,
  incidentExport,
  firmware,
  firmwareExport,
  firmwareKey,
  upgradeJob,
  upgradeJobExport,
  upgradeRecord,
  upgradeRecordExport,
  task,
  trace,
  dcuLog,
  dcuLogExport,
  dashboard,
  dashboardCard,
  bill,
  billExport,
  consumptionExport,
  balance,
  loss,
  balanceExport,
  lossExport,
  anomaly,
  anomalyExport,
  price,
  phase,
  phaseExport,
  phaseFactExport,
  userImport,
  userExport,
  auditExport,
  exportFile,
} as const satisfies Record<string, Record<string, Route>>;
