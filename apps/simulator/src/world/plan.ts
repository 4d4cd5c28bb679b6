import type { LoadKind } from './shapes.ts';

/** The static fleet: drawn once from the seed and never changed. */
export interface Plan {
  seed: number;
  levels: LevelPlan[];
  transformers: TransformerPlan[];
  dcus: DcuPlan[];
  meters: MeterPlan[];
  /** Deviations of DCU archives from the delivered data. */
  archiveDrift: ArchiveDrift[];
}

/** missing: the DCU lost the entry. phase: the DCU has a wrong phase. stale: the DCU still has a meter that was removed long ago. */
export interface ArchiveDrift {
  kind: 'missing' | 'phase' | 'stale';
  meter: MeterPlan;
}

export interface Position {
  longitude: number;
  latitude: number;
}

export interface LevelPlan extends Position {
  code: string;
  name: string;
  type: 'company' | 'region' | 'district' | 'feeder';
  parentCode: string | null;
}

export interface TransformerPlan extends Position {
  index: number;
  code: string;
  name: string;
  address: string;
  level: LevelPlan;
  capacityKva: number;
  /** Share of the delivered energy that is lost at medium load. */
  lossShare: number;
  /** Seed of solar output, shared by the district. */
  skyStream: number;
  /** Relative load of its three phases, from the connected customers; set once the meters are drawn. */
  loadShares?: readonly [number, number, number];
}

export interface DcuPlan extends Position {
  index: number;
  sn: string;
  name: string;
  transformer: TransformerPlan;
  connectionType: 'dial_in' | 'dial_out';
  communicateType: 'g4' | 'ethernet' | 'fibre';
  dataChannel: 'plc' | 'rf' | 'plc_rf';
  /** In the archive, but never powered on. */
  isAbsent: boolean;
  /** Dials in, but is in no archive of the head-end. */
  isUnregistered: boolean;
}

/** Framing and transport of pushes that do not go over the connection for requests. */
export type PushWay = 'mbus_tcp' | 'mbus_udp' | 'wrapper_udp' | 'hdlc_udp';

export interface MeterPlan extends Position {
  index: number;
  sn: string;
  transformer: TransformerPlan;
  dcu: DcuPlan;
  kind: LoadKind | 'master';
  phase: 'a' | 'b' | 'c' | 'abc';
  mode: 'plc' | 'rf';
  /** The meter has a modem of its own, with which it dials in; it is not behind its DCU. */
  isDirect?: boolean;
  /** Framing of a direct meter. Default: the wrapper. */
  framing?: 'hdlc';
  /** The head-end dials this direct meter. */
  isDialled?: boolean;
  /** This direct meter pushes in another way than over its connection. */
  pushes?: PushWay;
  /** 0 at the transformer, 1 at the end of its longest line. */
  distance: number;
  /** Hops of the mesh or power line between DCU and meter. */
  hops: number;
  meanDailyWh: number;
  /** Mean daily export; 0 without a roof. */
  exportDailyWh: number;
  /** Hours by which this customer's day is later than the average. */
  shiftHours: number;
  installedDay: number;
  /** Clock deviation; positive: the clock is ahead. */
  driftSeconds: number;
  customerNo: string | null;
  /** Null: a master meter, or a fleet without customers' names. */
  customerName: string | null;
  address: string;
  /** Never responds. */
  isSilent: boolean;
  /** The archive holds another key than the meter. */
  hasWrongKey: boolean;
  /** The cover has been opened. */
  isTampered: boolean;
  /** Mean daily energy diverted past the meter; the transformer still delivers it. */
  stolenDailyWh?: number;
  /** Exports energy, but is not recorded as a generator. */
  isUnrecordedGenerator?: boolean;
  /** Installed on the line, but missing in the archive. */
  isUncommissioned?: boolean;
  /** Phase in the archive, where it is wrong. */
  recordedPhase?: 'a' | 'b' | 'c';
  /** Only of a replacement meter. */
  installation?: Installation;
}

/** How a replacement meter came to its place. */
export interface Installation {
  /** The initial meter of the place, which defines customer and branch of the network. */
  place: MeterPlan;
  atMs: number;
  /** 1 for the first replacement. */
  number: number;
  /** Register content from the test bench. */
  benchWh: number;
}
