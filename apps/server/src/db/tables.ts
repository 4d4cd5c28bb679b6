// Generated from the migrated database by `npm run golden`; do not edit.
import type { ColumnType } from 'kysely';

/** Has a default: may be left out of an insert. */
export type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
/** Written as text (`JSON.stringify`), so that a top-level array is never taken for a PostgreSQL array. */
export type Json = ColumnType<unknown, string, string>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
/** Exact decimal, as text. */
export type Numeric = ColumnType<string, string | number, string | number>;
export type BigintArray = ColumnType<string[], (string | number)[], (string | number)[]>;

export interface AppUserTable {
  id: Generated<string>;
  username: string;
  name: string;
  phone: string | null;
  email: string | null;
  passwordHash: string;
  lock: Generated<boolean>;
  lockReason: string | null;
  mustChangePassword: Generated<boolean>;
  failedCount: Generated<number>;
  failedSince: Timestamp | null;
  lastLoginAt: Timestamp | null;
  locale: Generated<'en-US' | 'zh-CN'>;
  theme: Generated<'light' | 'dark'>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  deletedAt: Timestamp | null;
}

export interface ArchivePlanTable {
  id: Generated<string>;
  dcuId: string;
  snapshotId: string;
  steps: Json;
  frames: number;
  seconds: Numeric;
  createdBy: string | null;
  createdAt: Generated<Timestamp>;
  appliedAt: Timestamp | null;
  taskId: string | null;
}

export interface ArchiveRecordTable {
  id: Generated<string>;
  dcuId: string;
  meterId: string | null;
  sn: string;
  idx: number | null;
  bindState: Generated<'bound' | 'not_bound'>;
  dispatchState: Generated<'distributed' | 'not_distributed'>;
  distributionState: 'pending_distribution' | 'distributed' | 'deleted' | null;
  deleteStatus: Generated<'none' | 'pending_delete' | 'deleted' | 'delete_failed'>;
  diffKind: 'same' | 'hes_only' | 'dcu_only' | 'param_diff' | 'idx_conflict' | 'other_dcu' | null;
  diffFields: Generated<string[]>;
  dcuEntry: Json | null;
  lastDispatchAt: Timestamp | null;
  lastDispatchBy: string | null;
  lastVerifyAt: Timestamp | null;
  lastResult: 'ok' | 'refused' | 'unknown' | null;
  lastReasonCode: string | null;
  updatedAt: Generated<Timestamp>;
}

export interface ArchiveSnapshotTable {
  id: Generated<string>;
  dcuId: string;
  taskId: string | null;
  takenAt: Timestamp;
  entries: Json;
  count: number;
  frames: number;
  durationMs: number;
}

export interface ArrivalDayTable {
  dcuId: string;
  profile: 'daily' | 'energy' | 'lpa' | 'lpb';
  begins: Timestamp;
  got: number[];
}

export interface AuditLogTable {
  id: Generated<string>;
  at: Generated<Timestamp>;
  userId: string | null;
  action: string;
  entity: string;
  entityId: string | null;
  detail: Generated<Json>;
  ip: string | null;
  prevHash: Buffer;
  hash: Buffer;
}

export interface CollectPlanTable {
  id: Generated<string>;
  name: string;
  type: 'daily' | 'monthly' | 'energy' | 'lpa' | 'lpb' | 'events' | 'registers' | 'clock_check' | 'archive_check' | 'topology' | 'modules';
  schedule: string;
  lookBackDays: Generated<number>;
  priority: Generated<number>;
  enabled: Generated<boolean>;
  isBuiltin: Generated<boolean>;
  nextRunAt: Timestamp | null;
  lastRunAt: Timestamp | null;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
  scheduleSettings: Json | null;
  targetKind: Generated<'all' | 'level' | 'transformer' | 'dcu' | 'meter_type' | 'meter'>;
  targetIds: Generated<BigintArray>;
  execution: Generated<'hes_pull' | 'dcu_task' | 'cache_then_hes'>;
  retryCount: number | null;
  retryIntervalMin: number | null;
  windowFrom: string | null;
  windowTo: string | null;
  ownerId: string | null;
  updatedAt: Generated<Timestamp>;
}

export interface CollectPlanItemTable {
  planId: string;
  obisId: string;
  sort: number;
}

export interface CommandLogTable {
  id: Generated<string>;
  at: Timestamp;
  userId: string | null;
  kind: string;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  reason: string | null;
  workOrder: string | null;
  request: Generated<Json>;
  result: string | null;
  taskId: string | null;
  taskItemId: string | null;
  traceId: string | null;
  prevHash: Buffer;
  hash: Buffer;
}

export interface DcuTable {
  id: Generated<string>;
  sn: string;
  name: string;
  dcuTypeId: string;
  transformerId: string | null;
  protocol: Generated<'dlms_wrapper' | 'dlms_hdlc'>;
  communicateType: Generated<'g2' | 'g3' | 'g4' | 'nb_iot' | 'ethernet' | 'fibre'>;
  connectionType: Generated<'dial_in' | 'dial_out'>;
  host: string | null;
  port: number | null;
  authenticationType: Generated<string>;
  clientSap: Generated<number>;
  serverSap: Generated<number>;
  systemTitle: Buffer | null;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
  invocationCounter: Generated<string>;
  dataChannel: Generated<'plc' | 'rf' | 'plc_rf' | 'rs485'>;
  country: string | null;
  longitude: Numeric | null;
  latitude: Numeric | null;
  firmwareVersion: string | null;
  onlineStatus: Generated<'online' | 'offline' | 'never'>;
  lastCommAt: Timestamp | null;
  lastSessionId: string | null;
  clockDeviationS: number | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  passwordSecret: Buffer | null;
  masterKeySecret: Buffer | null;
  simIccid: string | null;
  apn: string | null;
  msisdn: string | null;
  note: string | null;
}

export interface DcuSessionTable {
  id: Generated<string>;
  dcuId: string | null;
  claimedName: string | null;
  direction: 'dial_in' | 'dial_out';
  remote: string;
  openedAt: Generated<Timestamp>;
  identifiedAt: Timestamp | null;
  closedAt: Timestamp | null;
  closeReason: string | null;
  closeDetail: string | null;
  bytesIn: Generated<string>;
  bytesOut: Generated<string>;
}

export interface DcuTypeTable {
  id: Generated<string>;
  code: string;
  name: string;
  supplierId: string;
  protocol: Generated<'dlms_wrapper' | 'dlms_hdlc'>;
  authenticationType: Generated<'none' | 'low' | 'high' | 'hls_md5' | 'hls_sha1' | 'hls_gmac' | 'hls_sha256' | 'hls_ecdsa'>;
  maxMeters: Generated<number>;
  heartbeatS: Generated<number>;
  parallelMeters: Generated<number>;
  apduSize: Generated<number>;
  profileId: string;
  enabled: Generated<boolean>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  hardwareVersion: string | null;
  downlinkModes: Generated<string[]>;
  features: Generated<string[]>;
}

export interface DcuUnregisteredTable {
  claimedName: string;
  remote: string;
  systemTitle: Buffer | null;
  firstSeenAt: Generated<Timestamp>;
  lastSeenAt: Generated<Timestamp>;
  timesSeen: Generated<number>;
}

export interface DeviceClockTable {
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  deviceTime: string;
  readAt: Timestamp;
  deviationMs: string | null;
  roundTripMs: number;
  zoneMinutes: number | null;
  status: number | null;
  clockBase: string | null;
  hasDaylightSaving: boolean | null;
  lastSyncAt: Timestamp | null;
  lastSyncMethod: 'shift' | 'set' | 'broadcast' | null;
  traceId: string | null;
}

export interface DeviceKeyLogTable {
  id: Generated<string>;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  keyType: 'password' | 'master_key' | 'ek' | 'ak';
  method: 'typed' | 'imported' | 'transferred' | 'cleared';
  userId: string | null;
  changedAt: Generated<Timestamp>;
}

export interface DeviceMemoryTable {
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  key: string;
  value: Json;
  learntAt: Generated<Timestamp>;
}

export interface DiscoveredMeterTable {
  id: Generated<string>;
  runId: string;
  dcuId: string;
  sn: string;
  address: string;
  protocol: 'dlms' | 'other';
  commMode: 'plc' | 'rf' | 'rs485';
  phase: 'a' | 'b' | 'c' | 'abc' | 'unknown';
  hops: number;
  signalValue: number | null;
  firstSeen: Timestamp;
  lastSeen: Timestamp;
  timesSeen: Generated<number>;
  nameplate: Json | null;
  ignoredUntil: Timestamp | null;
  ignoreReason: string | null;
}

export interface DiscoveryRunTable {
  id: Generated<string>;
  dcuId: string;
  taskId: string;
  mode: 'plc' | 'rf' | 'both';
  state: Generated<'idle' | 'starting' | 'searching' | 'stopping' | 'finished' | 'failed'>;
  pollSeconds: Generated<number>;
  startedAt: Generated<Timestamp>;
  endsAt: Timestamp;
  endedAt: Timestamp | null;
  found: Generated<number>;
  lastPollAt: Timestamp | null;
  reasonCode: string | null;
  startedBy: string | null;
}

export interface EventTable {
  id: Generated<string>;
  deviceKind: 'dcu' | 'meter';
  meterId: string | null;
  dcuId: string;
  log: string;
  code: number;
  occurAt: Timestamp;
  receivedAt: Generated<Timestamp>;
  direction: 'occur' | 'recover';
  message: Generated<string>;
  raw: Buffer;
  note: string | null;
  abnormalLevel: 'serious' | 'warning' | null;
  source: 'push' | 'pull';
  isMuted: Generated<boolean>;
  ackAt: Timestamp | null;
  ackBy: string | null;
  incidentId: string | null;
  recoveredAt: Timestamp | null;
  dedupHash: Buffer;
  traceId: string | null;
  version: Generated<number>;
}

export interface EventCodeTable {
  log: 'standard' | 'fraud' | 'disconnector' | 'mbus' | 'comms' | 'quality' | 'dcu';
  code: number;
  nameEn: string;
  nameZh: string;
  abnormalLevel: 'serious' | 'warning' | null;
  direction: Generated<'occur' | 'recover'>;
  pairCode: number | null;
  enabled: Generated<boolean>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
}

export interface EventMuteTable {
  id: Generated<string>;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  log: string;
  code: number;
  until: Timestamp;
  reason: string;
  mutedBy: string;
  createdAt: Generated<Timestamp>;
}

export interface ExportJobTable {
  id: Generated<string>;
  userId: string;
  list: string;
  fileName: string;
  state: Generated<'running' | 'ready' | 'failed'>;
  rows: Generated<number>;
  octets: Generated<string>;
  createdAt: Generated<Timestamp>;
  finishedAt: Timestamp | null;
}

export interface ExportPieceTable {
  jobId: string;
  number: number;
  content: Buffer;
}

export interface ImportJobTable {
  id: Generated<string>;
  userId: string;
  entity: string;
  fileName: string;
  content: Buffer;
  createdAt: Generated<Timestamp>;
  doneAt: Timestamp | null;
}

export interface IncidentTable {
  id: Generated<string>;
  dcuId: string;
  log: string;
  code: number;
  openedAt: Timestamp;
  lastAt: Timestamp;
}

export interface MeterTable {
  id: Generated<string>;
  sn: string;
  meterTypeId: string;
  isMaster: Generated<boolean>;
  communicationMode: 'plc' | 'rf';
  inventoryState: Generated<'in_warehouse' | 'installed' | 'active'>;
  transformerId: string | null;
  dcuId: string | null;
  gatewayAddress: Buffer | null;
  ctRatio: Generated<Numeric>;
  ptRatio: Generated<Numeric>;
  customerNo: string | null;
  customerName: string | null;
  address: string | null;
  longitude: Numeric | null;
  latitude: Numeric | null;
  isGenerator: Generated<boolean>;
  systemTitle: Buffer | null;
  ekSecret: Buffer | null;
  akSecret: Buffer | null;
  invocationCounter: Generated<string>;
  peerInvocationCounter: Generated<string>;
  firmwareVersion: string | null;
  relayState: Generated<'connected' | 'disconnected' | 'ready' | 'unknown'>;
  recordedPhase: Generated<'a' | 'b' | 'c' | 'abc' | 'unknown'>;
  lastCommAt: Timestamp | null;
  lastReadAt: Timestamp | null;
  installedAt: Timestamp | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  accuracy: string | null;
  voltage: string | null;
  current: string | null;
  phase: '1p2w' | '3p3w' | '3p4w' | null;
  passwordSecret: Buffer | null;
  masterKeySecret: Buffer | null;
  note: string | null;
  removedAt: Timestamp | null;
}

export interface MeterExchangeTable {
  id: Generated<string>;
  at: Timestamp;
  oldMeterId: string;
  newMeterId: string | null;
  finalKwh: Numeric | null;
  initialKwh: Numeric | null;
  transformerId: string | null;
  dcuId: string | null;
  customerNo: string | null;
  note: string | null;
  userId: string | null;
  createdAt: Generated<Timestamp>;
}

export interface MeterLatestTable {
  meterId: string;
  freezeDate: string | null;
  ePlus: Numeric | null;
  eMinus: Numeric | null;
  lpaAt: Timestamp | null;
  pAvgPlusW: number | null;
  u1Mv: number | null;
  values: Generated<Json>;
  updatedAt: Generated<Timestamp>;
}

export interface MeterTypeTable {
  id: Generated<string>;
  code: string;
  name: string;
  supplierId: string;
  phase: '1p2w' | '3p3w' | '3p4w';
  accuracy: string | null;
  voltage: string | null;
  current: string | null;
  hasRelay: Generated<boolean>;
  clientSap: Generated<number>;
  serverSap: Generated<number>;
  authenticationType: Generated<string>;
  securitySuite: Generated<number>;
  lpaPeriodS: Generated<number>;
  lpbPeriodS: Generated<number>;
  profileId: string;
  enabled: Generated<boolean>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  ctMetering: Generated<boolean>;
  communicationModes: Generated<string[]>;
  relayMode: Generated<number>;
  addressing: Generated<'logical' | 'short'>;
  imageBlockSize: number | null;
  quirks: Generated<string[]>;
}

export interface ModuleTable {
  id: Generated<string>;
  parentId: string | null;
  nameEn: string;
  nameZh: string;
  path: string;
  icon: string;
  type: 'group' | 'page';
  sort: Generated<number>;
  visible: Generated<boolean>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
}

export interface NetworkLevelTable {
  id: Generated<string>;
  parentId: string | null;
  name: string;
  code: string;
  type: 'company' | 'region' | 'district' | 'substation' | 'feeder' | 'other';
  sort: Generated<number>;
  path: BigintArray;
  longitude: Numeric | null;
  latitude: Numeric | null;
  note: string | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
}

export interface ObisCodeTable {
  id: Generated<string>;
  key: string;
  obis: string;
  classId: number;
  attribute: number;
  kind: Generated<'attribute' | 'method'>;
  nameEn: string;
  nameZh: string;
  unit: Generated<number>;
  precision: Generated<number>;
  category:
    | 'energy'
    | 'power'
    | 'demand'
    | 'voltage'
    | 'current'
    | 'quality'
    | 'clock'
    | 'identity'
    | 'status'
    | 'profile'
    | 'event'
    | 'parameter'
    | 'control'
    | 'dcu';
  enabled: Generated<boolean>;
  sort: Generated<number>;
  dataType: string | null;
  scaler: number | null;
  access: Generated<string[]>;
  decoder: Generated<'plain' | 'bit_map' | 'enum' | 'date_time' | 'octet_ascii' | 'octet_hex'>;
  enumMap: Json | null;
  isBuiltin: Generated<boolean>;
  version: Generated<number>;
  updatedAt: Generated<Timestamp>;
}

export interface PlanRunTable {
  id: Generated<string>;
  planId: string;
  at: Generated<Timestamp>;
  trigger: 'schedule' | 'user';
  state: 'started' | 'skipped';
  reason: 'still_running' | 'no_targets' | null;
  taskId: string | null;
  queued: Generated<number>;
  stillWaiting: Generated<number>;
}

export interface PushReceiptTable {
  dedupHash: Buffer;
  dcuId: string;
  meterId: string | null;
  receivedAt: Generated<Timestamp>;
}

export interface ReadingDailyTable {
  meterId: string;
  freezeDate: string;
  readAt: Timestamp;
  source: 'cache' | 'meter' | 'push' | 'manual' | 'estimated';
  quality: 'read' | 'refilled' | 'estimated' | 'manual' | 'invalid';
  ePlus: Numeric | null;
  eMinus: Numeric | null;
  ePlusT1: Numeric | null;
  ePlusT2: Numeric | null;
  ePlusT3: Numeric | null;
  ePlusT4: Numeric | null;
  eMinusT1: Numeric | null;
  eMinusT2: Numeric | null;
  eMinusT3: Numeric | null;
  eMinusT4: Numeric | null;
  statusWord: string | null;
  deviceTime: string | null;
  traceId: string | null;
}

export interface ReadingInstantTable {
  meterId: string;
  at: Timestamp;
  values: Json;
  taskItemId: string | null;
}

export interface ReadingProfileTable {
  meterId: string;
  profile: 'energy' | 'lpa' | 'lpb';
  day: string;
  periodS: number;
  present: number;
  status: number[];
  ePlusWh: BigintArray | null;
  eMinusWh: BigintArray | null;
  pAvgPlusW: number[] | null;
  pAvgMinusW: number[] | null;
  sAvgPlusVa: number[] | null;
  sAvgMinusVa: number[] | null;
  u1Mv: number[] | null;
  u2Mv: number[] | null;
  u3Mv: number[] | null;
  i1Ma: number[] | null;
  i2Ma: number[] | null;
  i3Ma: number[] | null;
  i0Ma: number[] | null;
  pfMilli: number[] | null;
  readAt: Timestamp;
  source: 'cache' | 'meter' | 'push' | 'manual' | 'estimated';
  traceId: string | null;
}

export interface RoleTable {
  id: Generated<string>;
  code: string;
  name: string;
  description: string | null;
  isBuiltin: Generated<boolean>;
  version: Generated<number>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
}

export interface RoleActionTable {
  roleId: string;
  moduleId: string;
  action: 'view' | 'add' | 'edit' | 'delete' | 'import' | 'export' | 'execute' | 'approve' | 'configure';
}

export interface RoleModuleTable {
  roleId: string;
  moduleId: string;
}

export interface RoleScopeTable {
  roleId: string;
  levelId: string;
}

export interface SettingTable {
  key: string;
  value: Json;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
}

export interface SouthboundProfileTable {
  id: Generated<string>;
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  body: Json;
  isBuiltin: Generated<boolean>;
  createdAt: Generated<Timestamp>;
  createdBy: string | null;
  objectOrder: Generated<string[]>;
}

export interface SupplierTable {
  id: Generated<string>;
  code: string;
  name: string;
  flagId: string | null;
  country: string | null;
  enabled: Generated<boolean>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  contact: string | null;
  address: string | null;
  phone: string | null;
  email: string | null;
  note: string | null;
}

export interface TaskTable {
  id: Generated<string>;
  kind: string;
  source: 'user' | 'plan' | 'system' | 'api';
  planId: string | null;
  title: string;
  params: Generated<Json>;
  reason: string | null;
  state: Generated<'waiting_approval' | 'waiting' | 'running' | 'finished' | 'partly_failed' | 'failed' | 'cancelled' | 'expired'>;
  total: Generated<number>;
  done: Generated<number>;
  ok: Generated<number>;
  failed: Generated<number>;
  priority: Generated<number>;
  createdBy: string | null;
  createdAt: Generated<Timestamp>;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  expiresAt: Generated<Timestamp>;
}

export interface TaskItemTable {
  id: Generated<string>;
  taskId: string;
  kind: string;
  priority: number;
  deviceKind: 'dcu' | 'meter';
  dcuId: string;
  meterId: string | null;
  state: Generated<'waiting' | 'reading' | 'read_success' | 'read_fail' | 'cancelled' | 'expired'>;
  reasonCode: string | null;
  reasonText: string | null;
  attempts: Generated<number>;
  notBefore: Generated<Timestamp>;
  leaseOwner: string | null;
  leaseUntil: Timestamp | null;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  latencyMs: number | null;
  result: Json | null;
  traceId: string | null;
}

export interface TraceTable {
  id: string;
  at: Generated<Timestamp>;
  dcuId: string | null;
  meterId: string | null;
  sessionId: string | null;
  frames: Buffer;
  bytes: number;
  durationMs: number;
}

export interface TransformerTable {
  id: Generated<string>;
  code: string;
  name: string;
  address: string | null;
  longitude: Numeric | null;
  latitude: Numeric | null;
  levelId: string;
  capacityKva: Numeric | null;
  ctRatio: Generated<Numeric>;
  ptRatio: Generated<Numeric>;
  masterMeterId: string | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  publicPrivate: Generated<'public' | 'private'>;
  note: string | null;
}

export interface UserPreferenceTable {
  userId: string;
  key: string;
  value: Json;
  updatedAt: Generated<Timestamp>;
}

export interface UserRoleTable {
  userId: string;
  roleId: string;
}

export interface UserSessionTable {
  id: string;
  userId: string;
  refreshHash: Buffer;
  previousHash: Buffer | null;
  rotatedAt: Generated<Timestamp>;
  issuedAt: Generated<Timestamp>;
  expiresAt: Timestamp;
  ip: string | null;
  agent: string | null;
  revokedAt: Timestamp | null;
}

export interface Database {
  appUser: AppUserTable;
  archivePlan: ArchivePlanTable;
  archiveRecord: ArchiveRecordTable;
  archiveSnapshot: ArchiveSnapshotTable;
  arrivalDay: ArrivalDayTable;
  auditLog: AuditLogTable;
  collectPlan: CollectPlanTable;
  collectPlanItem: CollectPlanItemTable;
  commandLog: CommandLogTable;
  dcu: DcuTable;
  dcuSession: DcuSessionTable;
  dcuType: DcuTypeTable;
  dcuUnregistered: DcuUnregisteredTable;
  deviceClock: DeviceClockTable;
  deviceKeyLog: DeviceKeyLogTable;
  deviceMemory: DeviceMemoryTable;
  discoveredMeter: DiscoveredMeterTable;
  discoveryRun: DiscoveryRunTable;
  event: EventTable;
  eventCode: EventCodeTable;
  eventMute: EventMuteTable;
  exportJob: ExportJobTable;
  exportPiece: ExportPieceTable;
  importJob: ImportJobTable;
  incident: IncidentTable;
  meter: MeterTable;
  meterExchange: MeterExchangeTable;
  meterLatest: MeterLatestTable;
  meterType: MeterTypeTable;
  module: ModuleTable;
  networkLevel: NetworkLevelTable;
  obisCode: ObisCodeTable;
  planRun: PlanRunTable;
  pushReceipt: PushReceiptTable;
  readingDaily: ReadingDailyTable;
  readingInstant: ReadingInstantTable;
  readingProfile: ReadingProfileTable;
  role: RoleTable;
  roleAction: RoleActionTable;
  roleModule: RoleModuleTable;
  roleScope: RoleScopeTable;
  setting: SettingTable;
  southboundProfile: SouthboundProfileTable;
  supplier: SupplierTable;
  task: TaskTable;
  taskItem: TaskItemTable;
  trace: TraceTable;
  transformer: TransformerTable;
  userPreference: UserPreferenceTable;
  userRole: UserRoleTable;
  userSession: UserSessionTable;
}
