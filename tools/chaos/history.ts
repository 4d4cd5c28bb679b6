import { appendFileSync, createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { OracleEntry } from '../../apps/simulator/src/control/oracle-log.ts';

export type IntervalProfile = 'lpa' | 'lpb' | 'energy';
export type FreezeProfile = 'daily' | 'monthly';
/** Changes of a meter that the truth about it has to know. */
export type Alteration = { t: 'altered'; sn: string; kind: string; at: number };
/** Columns of a stored row by their names, an entry a slot; null: nothing is stored there. */
export type Columns = Record<string, (number | null)[] | null>;

/** One line of a history: what the field swears to, what the product acknowledged while it was tortured, and what it held in the end. */
export type Line =
  | OracleEntry
  /** The world is a function of its seed and size: what is true needs not be written down. */
  | { t: 'begin'; seed: number; scale: string; at: number; timeZone?: string }
  | { t: 'fault'; kind: string; seed: number; targets: string[] }
  | { t: 'killed'; what: string; afterMs: number }
  | { t: 'recovered'; kind: string; seed: number; ms: number }
  | { t: 'stuck'; kind: string; seed: number; what: string }
  /** How often a fault took effect on a target; faults of the product itself have none. */
  | { t: 'struck'; kind: string; target: string; times: number }
  | Alteration
  | { t: 'moved'; sn: string; from: string; to: string }
  /** Another meter hangs in its place from then on. */
  | { t: 'exchanged'; sn: string; at: number }
  /** A meter of another DLMS stack hangs in its place. */
  | { t: 'foreign'; sn: string }
  /** Blocks of GET responses that the field has sent, and reads of profile buffers by logical name. */
  | { t: 'blocks'; blocks: number; buffers: { instance: string; reads: number; inBlocks: number }[] }
  /** Octets of the longest answer in blocks that the head-end has taken from a meter. */
  | { t: 'longest'; sn: string; octets: number }
  /** An order for local days, from `day` to `to`, ended in success and said so many rows. */
  | { t: 'acked'; sn: string; profile: IntervalProfile | FreezeProfile; day: string; to?: string; rows: number }
  /** A register was read at some moment between two. */
  | { t: 'register'; sn: string; item: string; value: number; unit: string; from: number; to: number }
  /** The event logs of a meter were read, from one local day to another. */
  | { t: 'log-read'; sn: string; from: string; to: string }
  /** In one snapshot of the database collection claimed a capture that was not there. */
  | { t: 'unkept'; sn: string; profile: IntervalProfile | 'daily'; through: number }
  /** Meters behind the DCU of one whose answer does not end, that were not read meanwhile. */
  | { t: 'starved'; sn: string; by: string }
  /** Seen in the database in between: so many captures of a UTC day. */
  | { t: 'seen'; sn: string; profile: IntervalProfile; day: string; present: number }
  /** Collection says that it has everything between these stamps. */
  | { t: 'mark'; sn: string; profile: IntervalProfile; from: number; through: number }
  | {
      t: 'row';
      sn: string;
      dcu: string;
      profile: IntervalProfile;
      day: string;
      periodS: number;
      /** How far the first slot lies behind the beginning of the UTC day. */
      leadS: number;
      status: (number | null)[];
      columns: Columns;
    }
  | { t: 'daily'; sn: string; dcu: string; day: string; values: Record<string, string | null> }
  /** Captures of a DCU and profile that the product has counted as they arrived. */
  | { t: 'counted'; dcu: string; profile: IntervalProfile | 'daily'; got: number }
  /** An event that was read from the log of a meter. */
  | { t: 'event'; sn: string; log: string; code: number; at: number }
  /** What the head-end itself says about a device: see FIELD_EVENT. */
  | { t: 'told'; sn: string; code: number; message: string }
  /** A stored value that another has replaced. */
  | { t: 'correction'; sn: string; profile: IntervalProfile | 'daily'; at: number; column: string; former: number; value: number }
  /** How a connection of a DCU ended; null: it has not. */
  | { t: 'session'; dcu: string; reason: string | null }
  /** Items of work with a meter that ended with a reason. */
  | { t: 'ended'; sn: string; reason: string; times: number }
  /** Alarms of a meter that the product has kept. */
  | { t: 'alarms'; sn: string; kept: number }
  | { t: 'command'; id: string; sn: string; operation: string; state: string; isSent: boolean }
  /** How complete a run over days was: what was due, what is there, and what the ledger says of the rest. */
  | { t: 'slots'; sn: string; profile: IntervalProfile | 'daily'; due: number; got: number; explained: number; isReachable: boolean }
  /** A plan for one time of every day, minutes since midnight, and when it ran between two moments. */
  | { t: 'runs'; plan: string; minute: number; from: number; to: number; at: number[] }
  | { t: 'end'; at: number };

/** What a head-end must never do, whatever happens to it. */
export type Guarantee =
  | 'G1'
  | 'G2'
  | 'G3'
  | 'G4'
  | 'G5'
  | 'recovery'
  | 'completeness'
  | 'schedule'
  | 'history'
  /** A fault that did not strike proves nothing. */
  | 'strike'
  /** A DCU that says nothing is given up, one that is there is not, and nobody else takes its place. */
  | 'presence'
  /** An answer of another meter is told. */
  | 'identity'
  /** An answer has an end, and nobody waits for that of another. */
  | 'limits';

export interface Violation {
  guarantee: Guarantee;
  what: string;
}

export type History = (line: Line) => void;

/** A history on disk: every line is there before the next thing is done. */
export const historyIn =
  (file: string): History =>
  (line) =>
    appendFileSync(file, `${JSON.stringify(line)}\n`);

export async function* readHistory(file: string): AsyncGenerator<Line> {
  for await (const text of createInterface({ input: createReadStream(file) })) {
    if (text !== '') yield JSON.parse(text) as Line; // as: written by the line above
  }
}
