import type { LoadKind } from './shapes.ts';

/** Where everything stands and what it is: drawn once from the seed, never changed. */
export interface Plan {
  seed: number;
  levels: LevelPlan[];
  transformers: TransformerPlan[];
  dcus: DcuPlan[];
  meters: MeterPlan[];
  /** Where the archive of a DCU is not what was delivered. */
  archiveDrift: ArchiveDrift[];
}

/** missing: the DCU lost it. phase: the DCU has another one. stale: the DCU has a meter that was taken down long ago. */
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
  /** Share of the delivered energy that is lost at middling load. */
  lossShare: number;
  /** Its sky and its neighbours' are the same. */
  skyStream: number;
  /** How its load lies on its three phases, by who is connected where; once the meters are drawn. */
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
  /** In the archive, but nobody ever switched it on. */
  isAbsent: boolean;
  /** Dials in, though nobody ever entered it into an archive. */
  isStranger: boolean;
}

export interface MeterPlan extends Position {
  index: number;
  sn: string;
  transformer: TransformerPlan;
  dcu: DcuPlan;
  kind: LoadKind | 'master';
  phase: 'a' | 'b' | 'c' | 'abc';
  mode: 'plc' | 'rf';
  /** 0 at the transformer, 1 at the end of its longest line. */
  distance: number;
  /** Hops of the mesh or power line between DCU and meter. */
  hops: number;
  meanDailyWh: number;
  /** Mean daily export; 0 without a roof of its own. */
  exportDailyWh: number;
  /** Hours by which its people are later than the average. */
  shiftHours: number;
  installedDay: number;
  /** By how much its clock is ahead. */
  driftSeconds: number;
  customerNo: string | null;
  address: string;
  /** Never answers. */
  isSilent: boolean;
  /** The archive holds another key than the meter. */
  hasWrongKey: boolean;
  /** Somebody opened its cover. */
  isTampered: boolean;
  /** Mean daily energy that somebody leads past the meter: the transformer delivers it all the same. */
  stolenDailyWh?: number;
  /** Gives energy back, and nobody wrote that down. */
  isUnrecordedGenerator?: boolean;
  /** Hangs on the line, and nobody ever wrote it down. */
  isUncommissioned?: boolean;
  /** What the archive says of its phase, where that is not true. */
  recordedPhase?: 'a' | 'b' | 'c';
  /** Only of a meter that took the place of another. */
  fitting?: Fitting;
}

/** How a meter came to a place where another one hung. */
export interface Fitting {
  /** The meter that was drawn there: whose customer, whose branch of the network. */
  place: MeterPlan;
  atMs: number;
  /** 1 for the first that took the place. */
  number: number;
  /** What its register showed, from the test bench. */
  benchWh: number;
}
