// Generated from the migrated database by `npm run golden`; do not edit.
import type { ColumnType } from 'kysely';

/** Has a default: may be left out of an insert. */
type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
/** Written as text (`JSON.stringify`), so that a top-level array is never taken for a PostgreSQL array. */
type Json = ColumnType<unknown, string, string>;
type Timestamp = ColumnType<Date, Date | string, Date | string>;
/** Exact decimal, as text. */
type Numeric = ColumnType<string, string | number, string | number>;
type BigintArray = ColumnType<string[], (string | number)[], (string | number)[]>;

interface AlarmTable {
  id: Generated<string>;
  ruleId: string;
  log: string | null;
  code: number | null;
  level: 'serious' | 'warning' | null;
  day: string | null;
  openedAt: Timestamp;
  lastAt: Timestamp;
  firstOccurAt: Timestamp | null;
  lastOccurAt: Timestamp | null;
  events: Generated<number>;
  dcuIds: Generated<BigintArray>;
  step: Generated<number>;
  waitSeconds: number | null;
  waitSince: Timestamp | null;
  notifiedAt: Timestamp | null;
  acknowledgedAt: Timestamp | null;
  acknowledgedBy: string | null;
  closedAt: Timestamp | null;
  ruleName: string | null;
  criteria: Json | null;
  steps: Json | null;
  endReason: string | null;
}

interface AlarmChannelTable {
  id: Generated<string>;
  name: string;
  kind: 'email' | 'webhook';
  config: Json;
  ref: string;
  target: string;
  secret: Buffer;
  hasSecret: Generated<boolean>;
  isPaused: Generated<boolean>;
  failures: Generated<number>;
  isReported: Generated<boolean>;
  lastSuccessAt: Timestamp | null;
  lastFailureAt: Timestamp | null;
  failureCode: string | null;
  failureDetail: string | null;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface AlarmEventTable {
  alarmId: string;
  eventId: string;
}

interface AlarmMarkTable {
  isOnly: Generated<boolean>;
  eventId: string;
}

interface AlarmMessageTable {
  id: Generated<string>;
  alarmId: string;
  channelId: string;
  step: number;
  recipientIds: BigintArray;
  locale: string;
  messageId: string;
  state: Generated<'waiting' | 'sent' | 'failed' | 'dropped'>;
  attempts: Generated<number>;
  waitSeconds: Generated<number>;
  waitSince: Timestamp;
  createdAt: Timestamp;
  sentAt: Timestamp | null;
  failureCode: string | null;
  answer: string | null;
  outcomes: Generated<Json>;
  isUncertain: Generated<boolean>;
}

interface AlarmRecipientTable {
  id: Generated<string>;
  name: string;
  email: string | null;
  phone: string | null;
  locale: string;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface AlarmRuleTable {
  id: Generated<string>;
  name: string;
  kind: 'alarm' | 'digest';
  criteria: Json;
  steps: Json;
  isPaused: Generated<boolean>;
  effectiveAt: Generated<Timestamp>;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface AnalysisMarkTable {
  id: Generated<boolean>;
  readUntil: Timestamp;
}

interface AnomalyTable {
  meterId: string;
  day: string;
  type: 'upper_limit' | 'lower_limit' | 'sudden_increase' | 'sudden_decrease' | 'reverse_electricity';
  valueKwh: Numeric;
  referenceKwh: Numeric;
  state: Generated<'found' | 'confirmed' | 'dismissed'>;
  reason: string | null;
  decidedBy: string | null;
  decidedAt: Timestamp | null;
  foundAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface AppUserTable {
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
  locale: Generated<'en-US' | 'zh-CN' | 'es-ES'>;
  theme: Generated<'light' | 'dark'>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  deletedAt: Timestamp | null;
  credentialsResetAt: Timestamp | null;
  credentialsResetBy: string | null;
  kind: Generated<'person' | 'program'>;
  mayOrder: Generated<string[]>;
}

interface ApprovalTable {
  id: Generated<string>;
  taskId: string;
  requestedBy: string;
  approverId: string | null;
  state: Generated<'pending' | 'approved' | 'rejected'>;
  comment: string | null;
  createdAt: Generated<Timestamp>;
  expiresAt: Timestamp;
  decidedAt: Timestamp | null;
  seal: Buffer | null;
}

interface ArchivePlanTable {
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

interface ArchiveRecordTable {
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

interface ArchiveSnapshotTable {
  id: Generated<string>;
  dcuId: string;
  taskId: string | null;
  takenAt: Timestamp;
  entries: Json;
  count: number;
  frames: number;
  durationMs: number;
}

interface ArrivalDayTable {
  dcuId: string;
  profile: 'daily' | 'energy' | 'lpa' | 'lpb';
  begins: Timestamp;
  got: number[];
}

interface AuditLogTable {
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

interface BillLineTable {
  periodId: string;
  meterId: string;
  transformerId: string;
  ratio: Numeric;
  opening: Numeric | null;
  closing: Numeric | null;
  used: string[] | null;
  status: 'complete' | 'estimated' | 'missing' | 'exchanged' | 'rollover';
  flags: Generated<string[]>;
  openingTrace: string | null;
  closingTrace: string | null;
  parts: Json | null;
  currency: string | null;
  amount: Numeric | null;
  calculatedAt: Timestamp;
}

interface BillPeriodTable {
  id: Generated<string>;
  kind: 'day' | 'month' | 'custom';
  firstDay: string;
  lastDay: string;
  state: Generated<'open' | 'calculated' | 'published'>;
  taskId: string | null;
  calculatedAt: Timestamp | null;
  calculatedBy: string | null;
  publishedAt: Timestamp | null;
  publishedBy: string | null;
  version: Generated<number>;
  prices: Json | null;
}

interface BusMessageTable {
  id: Generated<string>;
  sentAt: Generated<Timestamp>;
  payload: string;
}

interface CertificateTable {
  id: Generated<string>;
  kind: 'device' | 'head_end' | 'authority';
  usages: string[];
  suite: number;
  subject: string;
  systemTitle: Buffer | null;
  publicKey: Buffer;
  privateKeySecret: Buffer | null;
  isCurrent: Generated<boolean>;
  octets: Buffer | null;
  issuer: string | null;
  issuerId: string | null;
  serialNumber: string | null;
  validFrom: Timestamp | null;
  validTo: Timestamp | null;
  fingerprint: Buffer;
  announced: 'expiring' | 'expired' | null;
  createdAt: Timestamp;
  createdBy: string | null;
}

interface ChangeTable {
  id: Generated<string>;
  xid: Generated<string>;
  at: Generated<Timestamp>;
  origin: string;
  topic: string;
  message: Json;
}

interface CollectPlanTable {
  id: Generated<string>;
  name: string;
  type:
    | 'daily'
    | 'monthly'
    | 'energy'
    | 'lpa'
    | 'lpb'
    | 'events'
    | 'registers'
    | 'clock_check'
    | 'clock_sync'
    | 'archive_check'
    | 'topology'
    | 'modules';
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

interface CollectPlanItemTable {
  planId: string;
  obisId: string;
  sort: number;
}

interface CommandLogTable {
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

interface CommandTraceTable {
  id: string;
  at: Timestamp;
  dcuId: string | null;
  meterId: string | null;
  sessionId: string | null;
  frames: Buffer;
  bytes: number;
  durationMs: number;
}

interface CounterMarkTable {
  id: Generated<boolean>;
  through: Generated<string>;
}

interface DcuTable {
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
  authenticationType: Generated<'none' | 'low' | 'high' | 'hls_md5' | 'hls_sha1' | 'hls_gmac' | 'hls_sha256' | 'hls_ecdsa'>;
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
  onlineStatus: Generated<'online' | 'offline' | 'unknown' | 'never'>;
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
  provedCounter: Generated<string>;
  counterJumpedAt: Timestamp | null;
  physicalAddress: number | null;
  nodeId: string | null;
}

interface DcuCaptureTable {
  dcuId: string;
  level: 'errors' | 'all';
  endsAt: Timestamp;
  meterIds: Generated<BigintArray>;
  setBy: string | null;
  setAt: Generated<Timestamp>;
  direction: 'down' | 'up' | null;
}

interface DcuFrameLogTable {
  id: Generated<string>;
  dcuId: string;
  at: Timestamp;
  direction: 'down' | 'up';
  channel: 'D' | 'M' | 'P';
  meterId: string | null;
  service: string;
  octets: Buffer;
  plain: Buffer | null;
  latencyMs: number | null;
  result: string | null;
  note: string | null;
  sessionId: string | null;
  traceId: string | null;
  taskId: string | null;
}

interface DcuParamTemplateTable {
  id: Generated<string>;
  name: string;
  parameters: Json;
  createdBy: string | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface DcuParameterTable {
  dcuId: string;
  key: string;
  desired: string | null;
  actual: string | null;
  state: Generated<'unknown' | 'in_sync' | 'differs' | 'writing' | 'written' | 'failed'>;
  reasonCode: string | null;
  readAt: Timestamp | null;
  writtenAt: Timestamp | null;
  writtenBy: string | null;
}

interface DcuSessionTable {
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
  nodeId: string | null;
}

interface DcuTypeTable {
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
  builtinKey: string | null;
  allowedAddresses: Generated<string[]>;
}

interface DcuUnregisteredTable {
  claimedName: string;
  remote: string;
  systemTitle: Buffer | null;
  firstSeenAt: Generated<Timestamp>;
  lastSeenAt: Generated<Timestamp>;
  timesSeen: Generated<number>;
}

interface DcuUplinkTable {
  dcuId: string;
  readAt: Timestamp;
  hasModem: boolean;
  signalDbm: number | null;
  bitErrorStep: number | null;
  operator: string | null;
  registration: 'not_registered' | 'registered_home' | 'searching' | 'denied' | 'unknown' | 'registered_roaming' | null;
  packetService: 'inactive' | 'gprs' | 'edge' | 'umts' | 'hsdpa' | 'lte' | 'cdma' | null;
  cellId: string | null;
  locationId: number | null;
  network: string | null;
  measuredAt: Timestamp | null;
}

interface DeviceClockTable {
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

interface DeviceKeyLogTable {
  id: Generated<string>;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  keyType: 'password' | 'master_key' | 'ek' | 'ak';
  method: 'typed' | 'imported' | 'transferred' | 'cleared';
  userId: string | null;
  changedAt: Generated<Timestamp>;
}

interface DiscoveredMeterTable {
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

interface DiscoveryRunTable {
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

interface EndpointTable {
  id: Generated<string>;
  sn: string;
  name: string;
  dcuTypeId: string | null;
  transformerId: string | null;
  protocol: Generated<'dlms_wrapper' | 'dlms_hdlc'>;
  communicateType: Generated<'g2' | 'g3' | 'g4' | 'nb_iot' | 'ethernet' | 'fibre'>;
  connectionType: Generated<'dial_in' | 'dial_out'>;
  host: string | null;
  port: number | null;
  authenticationType: Generated<'none' | 'low' | 'high' | 'hls_md5' | 'hls_sha1' | 'hls_gmac' | 'hls_sha256' | 'hls_ecdsa'>;
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
  onlineStatus: Generated<'online' | 'offline' | 'unknown' | 'never'>;
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
  provedCounter: Generated<string>;
  counterJumpedAt: Timestamp | null;
  kind: Generated<'dcu' | 'meter'>;
  physicalAddress: number | null;
  nodeId: string | null;
}

interface EnergyBalanceTable {
  transformerId: string;
  day: string;
  supplyKwh: Numeric | null;
  soldKwh: Numeric;
  plusKwh: Numeric;
  minusKwh: Numeric;
  missingKwh: Numeric;
  metersExpected: number;
  metersData: number;
  computedAt: Generated<Timestamp>;
  tariffsKwh: string[] | null;
}

interface EventTable {
  id: Generated<string>;
  deviceKind: 'dcu' | 'meter' | 'head_end';
  meterId: string | null;
  dcuId: string | null;
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

interface EventCodeTable {
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

interface EventMuteTable {
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

interface ExportJobTable {
  id: Generated<string>;
  userId: string;
  list: string;
  fileName: string;
  state: Generated<'running' | 'ready' | 'failed'>;
  rows: Generated<number>;
  octets: Generated<string>;
  createdAt: Generated<Timestamp>;
  finishedAt: Timestamp | null;
  instructions: Generated<Json>;
  failure: Json | null;
  isLate: Generated<boolean>;
}

interface ExportPieceTable {
  jobId: string;
  number: number;
  content: Buffer;
}

interface ExternalIdentityTable {
  userId: string;
  providerId: string;
  subject: string;
  createdAt: Timestamp;
  endedAt: Timestamp | null;
}

interface FirmwareTable {
  id: Generated<string>;
  name: string;
  version: string;
  upgradeProtocol: 'dlms_image' | 'dlms_image_via_dcu' | 'vendor_file_pull';
  supplierId: string;
  targetKind: 'dcu' | 'rt' | 'sta' | 'meter';
  typeIds: BigintArray;
  imageIdentifier: string;
  blockSize: number;
  upgradeReason: string;
  fileProvider: string;
  fromVersions: Generated<string[]>;
  fileId: string;
  signature: string | null;
  signatureState: Generated<'none' | 'valid' | 'no_key'>;
  state: Generated<'draft' | 'approved' | 'retired'>;
  createdBy: string | null;
  touchedBy: BigintArray;
  approvedBy: string | null;
  approvedAt: Timestamp | null;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  revision: Generated<number>;
}

interface FirmwareChunkTable {
  fileId: string;
  n: number;
  octets: Buffer;
}

interface FirmwareFileTable {
  id: Generated<string>;
  name: string;
  size: number;
  sha256: string;
  format: string;
  uploadedBy: string | null;
  uploadedAt: Generated<Timestamp>;
}

interface FirmwareKeyTable {
  supplierId: string;
  publicKey: string;
  updatedBy: string | null;
  updatedAt: Generated<Timestamp>;
}

interface HeldCallTable {
  id: Generated<string>;
  route: string;
  content: Buffer;
  digest: Buffer;
  devices: number;
  reason: string | null;
  requestedBy: string;
  createdAt: Generated<Timestamp>;
  expiresAt: Timestamp;
  state: Generated<'pending' | 'approved' | 'rejected' | 'failed'>;
  approverId: string | null;
  decidedAt: Timestamp | null;
  comment: string | null;
}

interface IdempotencyKeyTable {
  userId: string;
  key: string;
  digest: Buffer;
  answer: Json | null;
  createdAt: Timestamp;
}

interface IdentityProviderTable {
  id: Generated<string>;
  name: string;
  kind: 'oidc' | 'ldap';
  ref: string;
  secret: Buffer;
  lastSuccessAt: Timestamp | null;
  lastFailureAt: Timestamp | null;
  failureCode: string | null;
  failureDetail: string | null;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
}

interface ImportJobTable {
  id: Generated<string>;
  userId: string;
  entity: string;
  fileName: string;
  content: Buffer;
  createdAt: Generated<Timestamp>;
  doneAt: Timestamp | null;
}

interface IncidentTable {
  id: Generated<string>;
  dcuId: string;
  log: string;
  code: number;
  openedAt: Timestamp;
  lastAt: Timestamp;
}

interface KnownBrowserTable {
  userId: string;
  hash: Buffer;
  failedCount: Generated<number>;
  failedSince: Timestamp | null;
  createdAt: Generated<Timestamp>;
  lastUsedAt: Generated<Timestamp>;
}

interface MasterKeyTable {
  keyId: string;
  state: 'current' | 'retiring' | 'retired';
  beganAt: Generated<Timestamp>;
  endedAt: Timestamp | null;
  kept: Buffer | null;
  resealed: Generated<string>;
}

interface MeterTable {
  id: Generated<string>;
  sn: string;
  meterTypeId: string;
  isMaster: Generated<boolean>;
  communicationMode: 'plc' | 'rf' | 'direct';
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
  protectedSupply: Generated<boolean>;
  protectionLiftedAt: Timestamp | null;
  relayMode: number | null;
  relayOutput: boolean | null;
  relayReadAt: Timestamp | null;
  relaySwitchedAt: Timestamp | null;
  relaySwitchedBy: string | null;
  marks: Generated<Json>;
  memoryId: string | null;
  setAsideUntil: Timestamp | null;
  setAsideTimes: Generated<number>;
  setAsideWhy: string | null;
  provedCounter: Generated<string>;
  counterJumpedAt: Timestamp | null;
}

interface MeterExchangeTable {
  id: Generated<string>;
  at: Timestamp;
  oldMeterId: string | null;
  newMeterId: string | null;
  transformerId: string | null;
  dcuId: string | null;
  customerNo: string | null;
  note: string | null;
  userId: string | null;
  createdAt: Generated<Timestamp>;
  finalRegisters: string[] | null;
  initialRegisters: string[] | null;
}

interface MeterExchangePhotoTable {
  exchangeId: string;
  mediaType: 'image/jpeg' | 'image/png' | 'image/webp';
  octets: Buffer;
  takenBy: string;
  createdAt: Timestamp;
}

interface MeterKeyTransferTable {
  meterId: string;
  sn: string;
  ekSecret: Buffer;
  akSecret: Buffer;
  taskId: string;
  sentAt: Generated<Timestamp>;
}

interface MeterLatestTable {
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

interface MeterLimitTable {
  meterId: string;
  upperKwh: Numeric | null;
  lowerKwh: Numeric | null;
  version: Generated<number>;
  changedAt: Timestamp;
}

interface MeterMemoryTable {
  id: Generated<string>;
  told: Json;
  digest: Buffer;
  learntAt: Generated<Timestamp>;
}

interface MeterTypeTable {
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
  authenticationType: Generated<'none' | 'low' | 'high' | 'hls_md5' | 'hls_sha1' | 'hls_gmac' | 'hls_sha256' | 'hls_ecdsa'>;
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
  builtinKey: string | null;
  ciphering: Generated<'by_mechanism' | 'always' | 'never'>;
  association: Generated<'negotiated' | 'pre_established'>;
  keyAgreement: Generated<'none' | 'one_pass' | 'static'>;
  generalSigning: Generated<boolean>;
  heartbeatS: Generated<number>;
  apduSize: Generated<number>;
  allowedAddresses: Generated<string[]>;
}

interface ModuleTable {
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

interface NetworkLevelTable {
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

interface NodeTable {
  id: Generated<string>;
  startedAt: Generated<Timestamp>;
  aliveAt: Generated<Timestamp>;
  name: Generated<string>;
  version: Generated<string>;
  owner: string | null;
  endedAt: Timestamp | null;
  drainingAt: Timestamp | null;
  drainedAt: Timestamp | null;
  roles: Generated<string[]>;
  schema: Generated<number>;
  traceShare: number | null;
}

interface NodeEventTable {
  id: Generated<string>;
  at: Generated<Timestamp>;
  nodeId: string;
  nodeName: string;
  kind: 'born' | 'stopped' | 'died' | 'drain_began' | 'drained' | 'resumed';
  devices: Generated<number>;
  userId: string | null;
}

interface ObisCodeTable {
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

interface OutboxTable {
  id: Generated<string>;
  xid: Generated<string>;
  at: Generated<Timestamp>;
  kind: 'readings' | 'events' | 'commands' | 'assets';
  subject: string | null;
  ids: BigintArray;
  days: number[] | null;
  firsts: number[] | null;
  lasts: number[] | null;
  lefts: BigintArray | null;
}

interface OutboxKindTable {
  kind: string;
  epoch: Generated<number>;
  beganAt: Generated<Timestamp>;
  clearedBefore: Generated<Timestamp>;
}

interface OutboxReaderTable {
  kind: string;
  reader: string;
  askedAt: Generated<Timestamp>;
}

interface PhaseResultTable {
  meterId: string;
  transformerId: string;
  modulePhase: 'a' | 'b' | 'c' | null;
  moduleAt: Timestamp | null;
  masterCorrelations: number[] | null;
  masterSamples: Generated<number>;
  masterPhase: 'a' | 'b' | 'c' | null;
  masterSupport: number | null;
  neighbourCorrelations: number[] | null;
  neighbourMeters: Generated<number>;
  neighbourPhase: 'a' | 'b' | 'c' | null;
  neighbourSupport: number | null;
  finalPhase: 'a' | 'b' | 'c' | 'abc' | null;
  confidence: number | null;
  computedAt: Timestamp;
  acceptedBy: string | null;
  acceptedAt: Timestamp | null;
  writtenAt: Timestamp | null;
}

interface PlanRunTable {
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

interface PlcModuleTable {
  mac: string;
  dcuId: string;
  role: 'cco' | 'pco' | 'sta';
  chipId: string;
  vendor: string;
  hwVersion: string;
  swVersion: string;
  boots: string;
  uptimeS: string;
  readAt: Timestamp;
  replacedAt: Timestamp | null;
  replacedBy: string | null;
  raw: Json;
}

interface ProgramTokenTable {
  id: Generated<string>;
  userId: string;
  name: string;
  hash: Buffer;
  addressRanges: Generated<string[]>;
  createdAt: Timestamp;
  createdBy: string | null;
  expiresAt: Timestamp;
  revokedAt: Timestamp | null;
  lastUsedAt: Timestamp | null;
  lastUsedIp: string | null;
}

interface PushReceiptTable {
  dedupHash: Buffer;
  dcuId: string;
  meterId: string | null;
  receivedAt: Generated<Timestamp>;
}

interface ReadingCorrectionTable {
  id: Generated<string>;
  meterId: string;
  profile: 'energy' | 'lpa' | 'lpb' | 'daily';
  ts: Timestamp;
  channel: string;
  former: Numeric;
  value: Numeric;
  formerReadAt: Timestamp;
  formerSource: 'cache' | 'meter' | 'push' | 'manual' | 'estimated';
  formerTraceId: string | null;
  source: 'cache' | 'meter' | 'push' | 'manual' | 'estimated';
  traceId: string | null;
  taskId: string | null;
  replacedAt: Generated<Timestamp>;
}

interface ReadingDailyTable {
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

interface ReadingGapTable {
  id: Generated<string>;
  meterId: string;
  profile: 'daily' | 'monthly' | 'energy' | 'lpa' | 'lpb';
  day: string;
  missing: number;
  fromAt: Timestamp;
  toAt: Timestamp;
  reasonCode: string | null;
  attempts: Generated<number>;
  nextTryAt: Timestamp;
  state: Generated<'open' | 'filled' | 'lost' | 'no_data'>;
  note: string | null;
  foundAt: Generated<Timestamp>;
  changedAt: Generated<Timestamp>;
  triedAt: Timestamp | null;
}

interface ReadingInstantTable {
  meterId: string;
  at: Timestamp;
  values: Json;
  taskItemId: string | null;
}

interface ReadingProfileTable {
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
  leadS: Generated<number>;
  pf1Milli: number[] | null;
  pf2Milli: number[] | null;
  pf3Milli: number[] | null;
  frequencyMhz: number[] | null;
}

interface RecoveryCodeTable {
  userId: string;
  hash: Buffer;
}

interface RelayCommandTable {
  id: Generated<string>;
  taskId: string;
  meterId: string;
  operation: 'disconnect' | 'connect' | 'arm';
  requestedBy: string;
  needsApproval: boolean;
  state: Generated<'waiting' | 'sent' | 'done' | 'refused' | 'failed' | 'unknown'>;
  reasonCode: string | null;
  powerBeforeW: number | null;
  powerAfterW: number | null;
  createdAt: Generated<Timestamp>;
  endedAt: Timestamp | null;
  traceId: string | null;
  seal: Buffer;
  meterSn: string | null;
  customerNo: string | null;
  customerName: string | null;
  dcuSn: string | null;
  nonce: string | null;
  validUntil: Timestamp | null;
}

interface RelayLimitTable {
  id: Generated<string>;
  maxMetersPerHour: number;
  maxKwPerHour: number;
  aloneUpTo: number;
  spreadS: number;
  effectiveAt: Generated<Timestamp>;
  changedBy: string | null;
  createdAt: Generated<Timestamp>;
  seal: Buffer | null;
  maxMetersPerDay: number | null;
  aloneFromHour: number | null;
  aloneToHour: number | null;
  needsSecond: boolean | null;
}

interface RelayLimitWordTable {
  limitId: string;
  givenBy: string;
  givenAt: Generated<Timestamp>;
  seal: Buffer;
}

interface RelayOrderTable {
  taskId: string;
  requestId: string;
  operation: 'disconnect' | 'connect' | 'arm';
  requestedBy: string;
  reason: string;
  workOrder: string;
  needsApproval: boolean;
  meters: number;
  powerW: string;
  createdAt: Generated<Timestamp>;
}

interface RelaySentTable {
  commandId: string;
  meterId: string;
  operation: string;
  powerW: number;
  at: Generated<Timestamp>;
  sentOrder: Generated<string>;
}

interface RelayStopTable {
  id: Generated<string>;
  reason: string;
  stoppedBy: string;
  stoppedAt: Generated<Timestamp>;
  releasedBy: string | null;
  releasedAt: Timestamp | null;
}

interface RightSealTable {
  kind: 'user' | 'role';
  subjectId: string;
  number: string;
  digest: Buffer | null;
  seal: Buffer;
}

interface RoleTable {
  id: Generated<string>;
  code: string;
  name: string;
  description: string | null;
  isBuiltin: Generated<boolean>;
  version: Generated<number>;
  createdAt: Generated<Timestamp>;
  updatedAt: Generated<Timestamp>;
  seesWholeNetwork: Generated<boolean>;
  areaWidenedAt: Generated<Timestamp>;
  areaWidenedBy: string | null;
}

interface RoleActionTable {
  roleId: string;
  moduleId: string;
  action: 'view' | 'add' | 'edit' | 'delete' | 'import' | 'export' | 'execute' | 'approve' | 'configure';
  grantedAt: Generated<Timestamp>;
  grantedBy: string | null;
}

interface RoleModuleTable {
  roleId: string;
  moduleId: string;
}

interface RoleScopeTable {
  roleId: string;
  levelId: string | null;
  transformerId: string | null;
}

interface SecondFactorTable {
  userId: string;
  secret: Buffer;
  createdAt: Timestamp;
  confirmedAt: Timestamp | null;
  lastStep: Generated<number>;
}

interface SecurityKeyTable {
  id: Generated<string>;
  userId: string;
  name: string;
  rpId: string;
  credentialId: Buffer;
  publicKey: Buffer;
  signCount: string;
  transports: Generated<string[]>;
  createdAt: Timestamp;
  lastUsedAt: Timestamp | null;
}

interface SenderTable {
  id: Generated<string>;
  name: string;
  kind: string;
  ref: string;
  secret: Buffer;
  contents: string[];
  levelIds: Generated<BigintArray>;
  isPaused: Generated<boolean>;
  positions: Generated<Json>;
  step: Generated<string>;
  attempts: Generated<Json>;
  failures: Generated<number>;
  nextTryAt: Generated<Timestamp>;
  lastSuccessAt: Timestamp | null;
  lastFailureAt: Timestamp | null;
  failureCode: string | null;
  failureDetail: string | null;
  sent: Generated<string>;
  createdAt: Generated<Timestamp>;
  version: Generated<number>;
  settings: Json;
  lastRunAt: Generated<Timestamp>;
}

interface SenderDeadLetterTable {
  id: Generated<string>;
  senderId: string;
  at: Generated<Timestamp>;
  messageId: string;
  kind: string;
  reason: string;
  content: Json;
}

interface SettingTable {
  key: string;
  value: Json;
  updatedAt: Generated<Timestamp>;
  version: Generated<number>;
  seal: Buffer | null;
}

interface SharedLimitTable {
  name: string;
  key: string;
  tokens: number;
  filledAt: Timestamp;
}

interface SouthboundProfileTable {
  id: Generated<string>;
  key: string;
  name: string;
  deviceKind: 'dcu' | 'meter';
  body: Json;
  isBuiltin: Generated<boolean>;
  createdAt: Generated<Timestamp>;
  createdBy: string | null;
  objectOrder: Generated<string[]>;
  parts: Generated<string[]>;
}

interface SpentNonceTable {
  name: Buffer;
  endsAt: Timestamp;
}

interface StationPingTable {
  taskId: string;
  mac: string;
  number: number;
  at: Timestamp;
  ms: number | null;
  reasonCode: string | null;
}

interface SupplierTable {
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
  builtinKey: string | null;
}

interface TariffPriceTable {
  validFrom: string;
  direction: 'plus' | 'minus';
  tariff: number;
  name: string;
  currency: string;
  price: Numeric;
}

interface TaskTable {
  id: Generated<string>;
  kind: string;
  source: 'user' | 'plan' | 'system' | 'api';
  planId: string | null;
  title: string;
  params: Generated<Json>;
  reason: string | null;
  state: Generated<
    'waiting_approval' | 'waiting' | 'running' | 'paused' | 'finished' | 'partly_failed' | 'failed' | 'cancelled' | 'expired'
  >;
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
  originId: string | null;
  isStopped: Generated<boolean>;
  waitsForDevice: Generated<boolean>;
  isLoaded: Generated<boolean>;
  traceparent: string | null;
}

interface TaskClaimTable {
  id: Generated<string>;
  items: BigintArray;
}

interface TaskItemTable {
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
  phase: Generated<string>;
  meterIds: BigintArray | null;
  details: Json | null;
}

interface TopologyDeltaTable {
  id: Generated<string>;
  dcuId: string;
  at: Timestamp;
  mac: string;
  sn: string;
  change: 'joined' | 'left' | 'parent' | 'level' | 'signal';
  before: string | null;
  after: string | null;
}

interface TopologyNodeTable {
  dcuId: string;
  mac: string;
  nodeId: number;
  sn: string;
  parentMac: string | null;
  level: number;
  role: 'cco' | 'pco' | 'sta';
  phase: 'a' | 'b' | 'c' | 'abc' | 'unknown';
  link: 'plc' | 'rf';
  signalValue: number | null;
  upPct: number | null;
  downPct: number | null;
  onlineSince: Timestamp | null;
  lastSeenAt: Timestamp;
  isOnline: boolean;
}

interface TopologySettingTable {
  dcuId: string;
  capture: Generated<boolean>;
  pollMin: Generated<number>;
  depthDays: Generated<number>;
  updatedAt: Generated<Timestamp>;
  updatedBy: string | null;
}

interface TopologySnapshotTable {
  id: Generated<string>;
  dcuId: string;
  takenAt: Timestamp;
  nodeCount: number;
  avgLevel: number;
  maxLevel: number;
  successPct: number | null;
  changes: number;
  taskId: string | null;
  nodes: Buffer;
}

interface TopologySwitchTable {
  id: Generated<string>;
  dcuId: string;
  taskId: string;
  operation: 'report_on' | 'report_off' | 'mode_dual' | 'mode_plc' | 'mode_rf' | 'rebuild' | 'restart_route_module';
  state: Generated<'sent' | 'rebuilding' | 'settled' | 'failed'>;
  reason: string;
  reasonCode: string | null;
  before: Json | null;
  after: Json | null;
  startedAt: Timestamp;
  endedAt: Timestamp | null;
  startedBy: string | null;
}

interface TraceTable {
  id: string;
  at: Generated<Timestamp>;
  dcuId: string | null;
  meterId: string | null;
  sessionId: string | null;
  frames: Buffer;
  bytes: number;
  durationMs: number;
}

interface TransformerTable {
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

interface TurnTable {
  name: string;
  nodeId: string;
  takenAt: Generated<Timestamp>;
}

interface UndefinedAnswerTable {
  meterTypeId: string;
  classId: number;
  obis: string;
  attribute: number;
  meterId: string;
  answeredAt: Generated<Timestamp>;
  traceId: string | null;
}

interface UnknownSignInTable {
  nameHash: Buffer;
  failedCount: Generated<number>;
  failedSince: Timestamp | null;
}

interface UpgradeBroadcastTable {
  id: Generated<string>;
  jobId: string;
  ring: number;
  dcuId: string;
  state: Generated<'gathering' | 'loading' | 'sending' | 'done' | 'failed'>;
  itemId: string | null;
  meters: Generated<number>;
  blockSize: number | null;
  blocksTotal: number | null;
  blocksDone: Generated<number>;
  octetsSent: Generated<string>;
  stumbles: Generated<number>;
  releasedAt: Timestamp | null;
  reasonCode: string | null;
  changedAt: Generated<Timestamp>;
}

interface UpgradeJobTable {
  id: Generated<string>;
  name: string;
  reason: string;
  firmwareId: string;
  targetKind: string;
  state: Generated<'running' | 'waiting_ring' | 'paused' | 'halted' | 'finished' | 'stopped'>;
  haltCause: 'failures' | 'silence' | 'read_success' | null;
  haltDetail: Json | null;
  forgivenFailures: Generated<number>;
  forgivenSilent: Generated<number>;
  readDropForgiven: Generated<boolean>;
  ring: Generated<number>;
  rings: number;
  ringDoneAt: Timestamp | null;
  continueBy: 'itself' | 'hand';
  watchMinutes: number;
  windowFrom: string | null;
  windowTo: string | null;
  concurrency: number;
  haltRule: Json;
  activateAt: Timestamp | null;
  taskId: string | null;
  createdBy: string;
  createdAt: Generated<Timestamp>;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  perDcu: Generated<number>;
}

interface UpgradeLogTable {
  id: Generated<string>;
  recordId: string;
  at: Generated<Timestamp>;
  fromStatus: string | null;
  toStatus: string;
  text: string | null;
  reasonCode: string | null;
  userId: string | null;
}

interface UpgradeRecordTable {
  id: Generated<string>;
  jobId: string;
  targetKind: string;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  dcuId: string;
  ring: number;
  status: Generated<
    | 'idle'
    | 'check_version'
    | 'download_file'
    | 'enable_translate'
    | 'set_block_size'
    | 'translate_init'
    | 'start_translate'
    | 'translating'
    | 'check_fail_block'
    | 'check_image'
    | 'activate_image'
    | 'no_need_complete'
    | 'send_upgrade_rt'
    | 'send_upgrade_sta'
    | 'wait_update'
    | 'updating'
    | 'update_success'
    | 'update_fail'
    | 'complete'
    | 'error'
  >;
  failedIn: string | null;
  oldVersion: string | null;
  newVersion: string;
  checkResult: 'pass' | 'fail' | 'skipped' | null;
  checkText: string | null;
  process: Generated<number>;
  blockSize: number | null;
  blocksTotal: number | null;
  blocksDone: Generated<number>;
  blockMap: Generated<string>;
  octetsSent: Generated<string>;
  rate: number | null;
  attempts: Generated<number>;
  stumbles: Generated<number>;
  repairs: Generated<number>;
  isAnew: Generated<boolean>;
  isStopping: Generated<boolean>;
  releasedAt: Timestamp | null;
  activatedAt: Timestamp | null;
  itemId: string | null;
  traceId: string | null;
  relayBefore: string | null;
  postChecks: Generated<Json>;
  reasonCode: string | null;
  reasonText: string | null;
  changedAt: Generated<Timestamp>;
  startedAt: Timestamp | null;
  finishedAt: Timestamp | null;
  scheduledAt: Timestamp | null;
}

interface UserPreferenceTable {
  userId: string;
  key: string;
  value: Json;
  updatedAt: Generated<Timestamp>;
}

interface UserRoleTable {
  userId: string;
  roleId: string;
  grantedAt: Generated<Timestamp>;
  grantedBy: string | null;
}

interface UserSessionTable {
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
  provedAt: Timestamp | null;
  failedProofs: Generated<number>;
  seal: Buffer | null;
  providerId: string | null;
  providerSid: string | null;
}

export interface Database {
  alarm: AlarmTable;
  alarmChannel: AlarmChannelTable;
  alarmEvent: AlarmEventTable;
  alarmMark: AlarmMarkTable;
  alarmMessage: AlarmMessageTable;
  alarmRecipient: AlarmRecipientTable;
  alarmRule: AlarmRuleTable;
  analysisMark: AnalysisMarkTable;
  anomaly: AnomalyTable;
  appUser: AppUserTable;
  approval: ApprovalTable;
  archivePlan: ArchivePlanTable;
  archiveRecord: ArchiveRecordTable;
  archiveSnapshot: ArchiveSnapshotTable;
  arrivalDay: ArrivalDayTable;
  auditLog: AuditLogTable;
  billLine: BillLineTable;
  billPeriod: BillPeriodTable;
  busMessage: BusMessageTable;
  certificate: CertificateTable;
  change: ChangeTable;
  collectPlan: CollectPlanTable;
  collectPlanItem: CollectPlanItemTable;
  commandLog: CommandLogTable;
  commandTrace: CommandTraceTable;
  counterMark: CounterMarkTable;
  dcu: DcuTable;
  dcuCapture: DcuCaptureTable;
  dcuFrameLog: DcuFrameLogTable;
  dcuParamTemplate: DcuParamTemplateTable;
  dcuParameter: DcuParameterTable;
  dcuSession: DcuSessionTable;
  dcuType: DcuTypeTable;
  dcuUnregistered: DcuUnregisteredTable;
  dcuUplink: DcuUplinkTable;
  deviceClock: DeviceClockTable;
  deviceKeyLog: DeviceKeyLogTable;
  discoveredMeter: DiscoveredMeterTable;
  discoveryRun: DiscoveryRunTable;
  endpoint: EndpointTable;
  energyBalance: EnergyBalanceTable;
  event: EventTable;
  eventCode: EventCodeTable;
  eventMute: EventMuteTable;
  exportJob: ExportJobTable;
  exportPiece: ExportPieceTable;
  externalIdentity: ExternalIdentityTable;
  firmware: FirmwareTable;
  firmwareChunk: FirmwareChunkTable;
  firmwareFile: FirmwareFileTable;
  firmwareKey: FirmwareKeyTable;
  heldCall: HeldCallTable;
  idempotencyKey: IdempotencyKeyTable;
  identityProvider: IdentityProviderTable;
  importJob: ImportJobTable;
  incident: IncidentTable;
  knownBrowser: KnownBrowserTable;
  masterKey: MasterKeyTable;
  meter: MeterTable;
  meterExchange: MeterExchangeTable;
  meterExchangePhoto: MeterExchangePhotoTable;
  meterKeyTransfer: MeterKeyTransferTable;
  meterLatest: MeterLatestTable;
  meterLimit: MeterLimitTable;
  meterMemory: MeterMemoryTable;
  meterType: MeterTypeTable;
  module: ModuleTable;
  networkLevel: NetworkLevelTable;
  node: NodeTable;
  nodeEvent: NodeEventTable;
  obisCode: ObisCodeTable;
  outbox: OutboxTable;
  outboxKind: OutboxKindTable;
  outboxReader: OutboxReaderTable;
  phaseResult: PhaseResultTable;
  planRun: PlanRunTable;
  plcModule: PlcModuleTable;
  programToken: ProgramTokenTable;
  pushReceipt: PushReceiptTable;
  readingCorrection: ReadingCorrectionTable;
  readingDaily: ReadingDailyTable;
  readingGap: ReadingGapTable;
  readingInstant: ReadingInstantTable;
  readingProfile: ReadingProfileTable;
  recoveryCode: RecoveryCodeTable;
  relayCommand: RelayCommandTable;
  relayLimit: RelayLimitTable;
  relayLimitWord: RelayLimitWordTable;
  relayOrder: RelayOrderTable;
  relaySent: RelaySentTable;
  relayStop: RelayStopTable;
  rightSeal: RightSealTable;
  role: RoleTable;
  roleAction: RoleActionTable;
  roleModule: RoleModuleTable;
  roleScope: RoleScopeTable;
  secondFactor: SecondFactorTable;
  securityKey: SecurityKeyTable;
  sender: SenderTable;
  senderDeadLetter: SenderDeadLetterTable;
  setting: SettingTable;
  sharedLimit: SharedLimitTable;
  southboundProfile: SouthboundProfileTable;
  spentNonce: SpentNonceTable;
  stationPing: StationPingTable;
  supplier: SupplierTable;
  tariffPrice: TariffPriceTable;
  task: TaskTable;
  taskClaim: TaskClaimTable;
  taskItem: TaskItemTable;
  topologyDelta: TopologyDeltaTable;
  topologyNode: TopologyNodeTable;
  topologySetting: TopologySettingTable;
  topologySnapshot: TopologySnapshotTable;
  topologySwitch: TopologySwitchTable;
  trace: TraceTable;
  transformer: TransformerTable;
  turn: TurnTable;
  undefinedAnswer: UndefinedAnswerTable;
  unknownSignIn: UnknownSignInTable;
  upgradeBroadcast: UpgradeBroadcastTable;
  upgradeJob: UpgradeJobTable;
  upgradeLog: UpgradeLogTable;
  upgradeRecord: UpgradeRecordTable;
  userPreference: UserPreferenceTable;
  userRole: UserRoleTable;
  userSession: UserSessionTable;
}
