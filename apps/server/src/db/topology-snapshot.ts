import { gunzipSync, gzipSync } from 'node:zlib';

/** A station as it was read; what a snapshot keeps. */
export interface StoredStation {
  mac: string;
  nodeId: number;
  sn: string;
  parentMac: string | null;
  level: number;
  role: 'cco' | 'pco' | 'sta';
  phase: 'a' | 'b' | 'c' | 'abc' | 'unknown';
  link: 'plc' | 'rf';
  signalValue: number;
  upPct: number;
  downPct: number;
  onlineSince: string | null;
}

export const packStations = (stations: readonly StoredStation[]): Buffer => gzipSync(JSON.stringify(stations));
export const unpackStations = (packed: Buffer): StoredStation[] => JSON.parse(gunzipSync(packed).toString('utf8')) as StoredStation[]; // as: `packStations` wrote it
