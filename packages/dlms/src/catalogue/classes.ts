import { account } from '../cosem/classes/account.ts';
import { activityCalendar } from '../cosem/classes/activity-calendar.ts';
import { arrayManager } from '../cosem/classes/array-manager.ts';
import { associationLnV0, associationLn, associationLnV2, associationLnV3 } from '../cosem/classes/association-ln.ts';
import { associationSn, associationSnV1, associationSnV4 } from '../cosem/classes/association-sn.ts';
import { autoAnswer, autoAnswerV2 } from '../cosem/classes/auto-answer.ts';
import { autoConnect } from '../cosem/classes/auto-connect.ts';
import { charge } from '../cosem/classes/charge.ts';
import { clock } from '../cosem/classes/clock.ts';
import { coapDiagnostic } from '../cosem/classes/coap-diagnostic.ts';
import { coapSetup } from '../cosem/classes/coap-setup.ts';
import { compactData, compactDataV0 } from '../cosem/classes/compact-data.ts';
import { credit } from '../cosem/classes/credit.ts';
import { data } from '../cosem/classes/data.ts';
import { dataProtection } from '../cosem/classes/data-protection.ts';
import { demandRegister } from '../cosem/classes/demand-register.ts';
import { disconnectControl, disconnectControlV1 } from '../cosem/classes/disconnect-control.ts';
import { extendedRegister } from '../cosem/classes/extended-register.ts';
import { functionControl } from '../cosem/classes/function-control.ts';
import {
  g3Plc6lowpanAdaptationLayerSetup,
  g3Plc6lowpanAdaptationLayerSetupV2,
  g3Plc6lowpanAdaptationLayerSetupV3,
} from '../cosem/classes/g3-plc-6lowpan-adaptation-layer-setup.ts';
import { g3PlcHybrid6lowpanAdaptationLayerSetup } from '../cosem/classes/g3-plc-hybrid-6lowpan-adaptation-layer-setup.ts';
import { g3PlcHybridRfMacLayerCounters } from '../cosem/classes/g3-plc-hybrid-rf-mac-layer-counters.ts';
import { g3PlcHybridRfMacSetup } from '../cosem/classes/g3-plc-hybrid-rf-mac-setup.ts';
import { g3PlcMacLayerCounters } from '../cosem/classes/g3-plc-mac-layer-counters.ts';
import { g3PlcMacSetup, g3PlcMacSetupV2, g3PlcMacSetupV3 } from '../cosem/classes/g3-plc-mac-setup.ts';
import { gprsModemSetup } from '../cosem/classes/gprs-modem-setup.ts';
import { gsmDiagnostic, gsmDiagnosticV1 } from '../cosem/classes/gsm-diagnostic.ts';
import { iec61334432LlcSscsSetup } from '../cosem/classes/iec-61334-4-32-llc-sscs-setup.ts';
import { iec6205541Attributes } from '../cosem/classes/iec-62055-41-attributes.ts';
import { iecHdlcSetup } from '../cosem/classes/iec-hdlc-setup.ts';
import { iecLocalPortSetup } from '../cosem/classes/iec-local-port-setup.ts';
import { imageTransfer } from '../cosem/classes/image-transfer.ts';
import { ipv4Setup } from '../cosem/classes/ipv4-setup.ts';
import { ipv6Setup } from '../cosem/classes/ipv6-setup.ts';
import { limiter } from '../cosem/classes/limiter.ts';
import { lteMonitoring, lteMonitoringV1 } from '../cosem/classes/lte-monitoring.ts';
import { mBusClient, mBusClientV1 } from '../cosem/classes/m-bus-client.ts';
import { mBusDiagnostic } from '../cosem/classes/m-bus-diagnostic.ts';
import { mBusMasterPortSetup } from '../cosem/classes/m-bus-master-port-setup.ts';
import { mBusSlavePortSetup } from '../cosem/classes/m-bus-slave-port-setup.ts';
import { macAddressSetup } from '../cosem/classes/mac-address-setup.ts';
import { modemConfiguration } from '../cosem/classes/modem-configuration.ts';
import { ntpSetup } from '../cosem/classes/ntp-setup.ts';
import { parameterMonitor, parameterMonitorV1 } from '../cosem/classes/parameter-monitor.ts';
import { pppSetup } from '../cosem/classes/ppp-setup.ts';
import { primeNbOfdmPlcApplicationIdentification } from '../cosem/classes/prime-nb-ofdm-plc-application-identification.ts';
import { primeNbOfdmPlcMacCounters } from '../cosem/classes/prime-nb-ofdm-plc-mac-counters.ts';
import { primeNbOfdmPlcMacFunctionalParameters } from '../cosem/classes/prime-nb-ofdm-plc-mac-functional-parameters.ts';
import { primeNbOfdmPlcMacNetworkAdministrationData } from '../cosem/classes/prime-nb-ofdm-plc-mac-network-administration-data.ts';
import { primeNbOfdmPlcMacSetup } from '../cosem/classes/prime-nb-ofdm-plc-mac-setup.ts';
import { primeNbOfdmPlcPhysicalLayerCounters } from '../cosem/classes/prime-nb-ofdm-plc-physical-layer-counters.ts';
import { profileGeneric } from '../cosem/classes/profile-generic.ts';
import { pushSetup, pushSetupV1, pushSetupV2, pushSetupV3 } from '../cosem/classes/push-setup.ts';
import { registerActivation } from '../cosem/classes/register-activation.ts';
import { registerMonitor } from '../cosem/classes/register-monitor.ts';
import { register } from '../cosem/classes/register.ts';
import { registerTable } from '../cosem/classes/register-table.ts';
import { sapAssignment } from '../cosem/classes/sap-assignment.ts';
import { scriptTable } from '../cosem/classes/script-table.ts';
import { securitySetup, securitySetupV1 } from '../cosem/classes/security-setup.ts';
import { singleActionSchedule } from '../cosem/classes/single-action-schedule.ts';
import { specialDaysTable } from '../cosem/classes/special-days-table.ts';
import { statusMapping } from '../cosem/classes/status-mapping.ts';
import { tcpUdpSetup } from '../cosem/classes/tcp-udp-setup.ts';
import { tokenGateway } from '../cosem/classes/token-gateway.ts';
import { wirelessModeQChannel } from '../cosem/classes/wireless-mode-q-channel.ts';
import type { CosemClass } from '../cosem/cosem-class.ts';

/** All declared interface classes, by id and then by version. */
export const COSEM_CLASSES: readonly CosemClass[] = [
  data,
  register,
  extendedRegister,
  demandRegister,
  registerActivation,
  profileGeneric,
  clock,
  scriptTable,
  specialDaysTable,
  associationSnV1,
  associationSn,
  associationSnV4,
  associationLnV0,
  associationLn,
  associationLnV2,
  associationLnV3,
  sapAssignment,
  imageTransfer,
  iecLocalPortSetup,
  activityCalendar,
  registerMonitor,
  singleActionSchedule,
  iecHdlcSetup,
  mBusSlavePortSetup,
  modemConfiguration,
  autoAnswer,
  autoAnswerV2,
  autoConnect,
  dataProtection,
  pushSetup,
  pushSetupV1,
  pushSetupV2,
  pushSetupV3,
  tcpUdpSetup,
  ipv4Setup,
  macAddressSetup,
  pppSetup,
  gprsModemSetup,
  gsmDiagnostic,
  gsmDiagnosticV1,
  ipv6Setup,
  registerTable,
  compactDataV0,
  compactData,
  statusMapping,
  securitySetup,
  securitySetupV1,
  parameterMonitor,
  parameterMonitorV1,
  disconnectControl,
  disconnectControlV1,
  limiter,
  mBusClient,
  mBusClientV1,
  wirelessModeQChannel,
  mBusMasterPortSetup,
  mBusDiagnostic,
  iec61334432LlcSscsSetup,
  primeNbOfdmPlcPhysicalLayerCounters,
  primeNbOfdmPlcMacSetup,
  primeNbOfdmPlcMacFunctionalParameters,
  primeNbOfdmPlcMacCounters,
  primeNbOfdmPlcMacNetworkAdministrationData,
  primeNbOfdmPlcApplicationIdentification,
  g3PlcMacLayerCounters,
  g3PlcMacSetup,
  g3PlcMacSetupV2,
  g3PlcMacSetupV3,
  g3Plc6lowpanAdaptationLayerSetup,
  g3Plc6lowpanAdaptationLayerSetupV2,
  g3Plc6lowpanAdaptationLayerSetupV3,
  ntpSetup,
  account,
  credit,
  charge,
  tokenGateway,
  iec6205541Attributes,
  functionControl,
  arrayManager,
  lteMonitoring,
  lteMonitoringV1,
  coapSetup,
  coapDiagnostic,
  g3PlcHybridRfMacLayerCounters,
  g3PlcHybridRfMacSetup,
  g3PlcHybrid6lowpanAdaptationLayerSetup,
];

/** The class with this id and version; without a version, the oldest one declared. */
export function cosemClassOf(id: number, version?: number): CosemClass | undefined {
  return COSEM_CLASSES.find((declared) => declared.id === id && (version === undefined || declared.version === version));
}
