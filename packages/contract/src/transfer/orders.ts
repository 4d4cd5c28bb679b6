import { approval } from '../action/approval.ts';
import { clock } from '../action/clock.ts';
import { relay } from '../action/relay.ts';
import { anomaly } from '../analysis/anomaly.ts';
import { staModel } from '../debug/sta-model.ts';
import { topologySwitch } from '../debug/topology-switch.ts';
import { event } from '../event/event.ts';
import { firmware } from '../upgrade/firmware.ts';
import { upgradeJob } from '../upgrade/job.ts';
import { exportOf } from './export.ts';

/** Exports of orders, findings and events. */
export const clockExport = exportOf('clock', clock.list);
export const relayExport = exportOf('relay', relay.list);
export const relayLogExport = exportOf('relay-command', relay.log);
export const approvalExport = exportOf('approval', approval.list);
export const eventExport = exportOf('event', event.list);
export const incidentExport = exportOf('incident', event.incidents);
export const anomalyExport = exportOf('anomaly', anomaly.list);
export const stationExport = exportOf('station', staModel.list);
export const topologySwitchExport = exportOf('topology-switch', topologySwitch.list);
export const firmwareExport = exportOf('firmware', firmware.list);
export const upgradeJobExport = exportOf('upgrade-job', upgradeJob.list);
