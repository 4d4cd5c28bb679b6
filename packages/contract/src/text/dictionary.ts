import { ACTION_TEXT } from '../core/action-text.ts';
import type { Text } from '../core/text.ts';
import { ABNORMAL_LEVEL_TEXT, ANOMALY_TEXT } from '../states/anomaly.ts';
import { BIND_TEXT, DELETE_STATUS_TEXT, DIFF_TEXT, DISPATCH_TEXT, DISTRIBUTION_TEXT } from '../states/archive.ts';
import { AUDIT_ACTION_TEXT, AUDIT_ENTITY_TEXT } from '../audit/actions.ts';
import { CLOCK_METHOD_TEXT } from '../states/clock.ts';
import { CLOSE_REASON_TEXT } from '../states/device.ts';
import {
  COMMUNICATE_TYPE_TEXT,
  COMMUNICATION_MODE_TEXT,
  CONNECTION_TYPE_TEXT,
  DATA_CHANNEL_TEXT,
  FRESHNESS_TEXT,
  INVENTORY_TEXT,
  METER_PHASE_TEXT,
  ONLINE_TEXT,
  RECORDED_PHASE_TEXT,
  RELAY_TEXT,
  TASK_ITEM_TEXT,
  TASK_TEXT,
} from './device-text.ts';
import { EVENT_DIRECTION_TEXT, EVENT_LOG_TEXT, EVENT_SOURCE_TEXT } from '../states/event.ts';
import { DISCOVERY_MATCH_TEXT, DISCOVERY_MODE_TEXT, DISCOVERY_STATE_TEXT } from '../states/discovery.ts';
import { SIGNAL_TEXT } from '../states/signal.ts';
import {
  CHECK_RESULT_TEXT,
  FIRMWARE_STATE_TEXT,
  HALT_TEXT,
  PREFLIGHT_TEXT,
  SIGNATURE_TEXT,
  UPGRADE_JOB_TEXT,
  UPGRADE_PROTOCOL_TEXT,
  UPGRADE_TARGET_TEXT,
  UPGRADE_TEXT,
} from '../states/upgrade.ts';

/** Enumerations with their labels in display order, for `GET /manager/dictionary/{set}`. */
export const DICTIONARY = {
  inventory_state: INVENTORY_TEXT,
  bind_state: BIND_TEXT,
  dispatch_state: DISPATCH_TEXT,
  distribution_state: DISTRIBUTION_TEXT,
  delete_status: DELETE_STATUS_TEXT,
  diff_kind: DIFF_TEXT,
  discovery_mode: DISCOVERY_MODE_TEXT,
  discovery_state: DISCOVERY_STATE_TEXT,
  discovery_match: DISCOVERY_MATCH_TEXT,
  reading_state: TASK_ITEM_TEXT,
  task_state: TASK_TEXT,
  freshness: FRESHNESS_TEXT,
  signal: SIGNAL_TEXT,
  anomaly: ANOMALY_TEXT,
  abnormal_level: ABNORMAL_LEVEL_TEXT,
  event_log: EVENT_LOG_TEXT,
  event_direction: EVENT_DIRECTION_TEXT,
  event_source: EVENT_SOURCE_TEXT,
  clock_method: CLOCK_METHOD_TEXT,
  upgrade: UPGRADE_TEXT,
  upgrade_target: UPGRADE_TARGET_TEXT,
  upgrade_protocol: UPGRADE_PROTOCOL_TEXT,
  upgrade_job: UPGRADE_JOB_TEXT,
  upgrade_halt: HALT_TEXT,
  firmware_state: FIRMWARE_STATE_TEXT,
  firmware_signature: SIGNATURE_TEXT,
  check_result: CHECK_RESULT_TEXT,
  preflight: PREFLIGHT_TEXT,
  online_status: ONLINE_TEXT,
  relay_state: RELAY_TEXT,
  communication_mode: COMMUNICATION_MODE_TEXT,
  meter_phase: METER_PHASE_TEXT,
  recorded_phase: RECORDED_PHASE_TEXT,
  connection_type: CONNECTION_TYPE_TEXT,
  communicate_type: COMMUNICATE_TYPE_TEXT,
  data_channel: DATA_CHANNEL_TEXT,
  close_reason: CLOSE_REASON_TEXT,
  action: ACTION_TEXT,
  audit_action: AUDIT_ACTION_TEXT,
  audit_entity: AUDIT_ENTITY_TEXT,
} as const satisfies Record<string, Record<string, Text>>;

export type DictionarySet = keyof typeof DICTIONARY;
// as: the keys of an object literal are its own.
export const DICTIONARY_SETS = Object.keys(DICTIONARY) as [DictionarySet, ...DictionarySet[]];
