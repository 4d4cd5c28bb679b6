import { gunzipSync, gzipSync } from 'node:zlib';
import type { Station } from '#southbound/dcu-parts.ts';

/** A station in a snapshot. */
export type StoredStation = Station;

export const packStations = (stations: readonly StoredStation[]): Buffer => gzipSync(JSON.stringify(stations));
/** Extracts one station from a packed snapshot without parsing the others. */
export function stationIn(packed: Buffer, mac: string): StoredStation | undefined {
  const text = gunzipSync(packed).toString('utf8');
  const at = text.indexOf(`"mac":${JSON.stringify(mac)}`);
  // as: `packStations` wrote flat objects
  return at === -1 ? undefined : (JSON.parse(text.slice(text.lastIndexOf('{', at), text.indexOf('}', at) + 1)) as StoredStation);
}

export const unpackStations = (packed: Buffer): StoredStation[] => JSON.parse(gunzipSync(packed).toString('utf8')) as StoredStation[]; // as: written by `packStations`
