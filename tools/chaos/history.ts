import { appendFileSync, createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { OracleEntry } from '../../apps/simulator/src/control/oracle-log.ts';

export type IntervalProfile = 'lpa' | 'lpb' | 'energy';
export type FreezeProfile = 'daily' | 'monthly';
/** Changes of a meter that affect its truth. */
export type Alteration = { t: 'altered'; sn: string; kind: string; at: number };
/** Columns of a stored row by name, one entry per slot; null: not stored. */
export type Columns = Record<string, (number | null)[] | null>;

/** One line of a history: observations of the field, acknowledgements of the product during the faults, and its final content. */
export type Line =
  | OracleEntry
  /** The world is a function of its seed and size, so the truth is not recorded. */
  | { t: 'begin'; seed: number; scale: string; direct?: number; at: number; timeZone?: string }
  | { t: 'fault'; kind: string; seed: number; targets: string[] }
  | { t: 'killed'; what: string; afterMs: number }
  | { t: 'recovered'; kind: string; seed: number; ms: number }
  | { t: 'stuck'; kind: string; seed: number; what: string }
  /** Number of effects of a fault on a target; faults of the product itself have none. */
  | { t: 'struck'; kind: string; target: string; times: number }
  | Alteration
  | { t: 'moved'; sn: string; from: string; to: string }
  /** Another meter is in its place from then on. */
  | { t: 'exchanged'; sn: string; at: number }
  /** A meter of another DLMS stack is in its place. */
  | { t: 'foreign'; sn: string }
  /** Blocks of GET responses that the field has sent, and reads of profile buffers by logical name. */
  | { t: 'blocks'; blocks: number; buffers: { instance: string; reads: number; inBlocks: number }[] }
  /** Octets of the longest response in blocks that the head-end has accepted from a meter. */
  | { t: 'longest'; sn: string; octets: number }
  /** An order for local days, from `day` to `to`, ended in success with this number of rows. */
  | { t: 'acked'; sn: string; profile: IntervalProfile | FreezeProfile; day: string; to?: string; rows: number }
  /** A register was read at some moment between two. */
  | { t: 'register'; sn: string; item: string; value: number; unit: string; from: number; to: number }
  /** The event logs of a meter were read, from one local day to another. */
  | { t: 'log-read'; sn: string; from: string; to: string }
  /** In one snapshot of the database, collection claimed a missing capture. */
  | { t: 'unkept'; sn: string; profile: IntervalProfile | 'daily'; through: number }
  /** Meters behind the DCU of one with an endless response that were not read meanwhile. */
  | { t: 'starved'; sn: string; by: string }
  /** Captures of a UTC day that were in the database meanwhile. */
  | { t: 'seen'; sn: string; profile: IntervalProfile; day: string; present: number }
  /** Collection claims completeness between these stamps. */
  | { t: 'mark'; sn: string; profile: IntervalProfile; from: number; through: number }
  | {
      t: 'row';
      sn: string;
      dcu: string;
      profile: IntervalProfile;
      day: string;
      periodS: number;
      /** Offset of the first slot from the beginning of the UTC day. */
      leadS: number;
      status: (number | null)[];
      columns: Columns;
    }
  | { t: 'daily'; sn: string; dcu: string; day: string; values: Record<string, string | null> }
  /** Captures of a DCU or direct meter and profile that the product has counted on arrival. */
  | { t: 'counted'; dcu: string; profile: IntervalProfile | 'daily'; got: number }
  /** An event that was read from the log of a meter. */
  | { t: 'event'; sn: string; log: string; code: number; at: number }
  /** An event that the head-end itself raised about a device: see FIELD_EVENT. */
  | { t: 'told'; sn: string; code: number; message: string }
  /** A stored value that was replaced. */
  | { t: 'correction'; sn: string; profile: IntervalProfile | 'daily'; at: number; column: string; former: number; value: number }
  /** Reason for the end of the connection of a DCU or direct meter; null: still open. */
  | { t: 'session'; dcu: string; reason: string | null }
  /** Items of work with a meter that ended with a reason. */
  | { t: 'ended'; sn: string; reason: string; times: number }
  /** Stored alarms of a meter. */
  | { t: 'alarms'; sn: string; kept: number }
  /** `isFollowed`: another command was sent to the relay after this one. */
  | { t: 'command'; id: string; sn: string; operation: string; state: string; isSent: boolean; isFollowed: boolean }
  /** Completeness of a run over days: due slots, stored slots, and missing ones in the ledger. */
  | { t: 'slots'; sn: string; profile: IntervalProfile | 'daily'; due: number; got: number; explained: number; isReachable: boolean }
  /** A plan for one time of every day, minutes since midnight, and its runs between two moments. */
  | { t: 'runs'; plan: string; minute: number; from: number; to: number; at: number[] }
  | { t: 'end'; at: number };

/** The guarantees of a head-end under any fault. */
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
  /** A fault without effect proves nothing. */
  | 'strike'
  /** An unresponsive DCU is set offline, a connected one is not, and no other caller takes its place. */
  | 'presence'
  /** A response of another meter is reported. */
  | 'identity'
  /** The size of a response is limited, and it does not delay other meters. */
  | 'limits';

export interface Violation {
  guarantee: Guarantee;
  what: string;
}

export type History = (line: Line) => void;

/** A history on disk: written synchronously, so every line precedes the next action. */
export const historyIn =
  (file: string): History =>
  (line) =>
    appendFileSync(file, `${JSON.stringify(line)}\n`);

export async function* readHistory(file: string): AsyncGenerator<Line> {
  for await (const text of createInterface({ input: createReadStream(file) })) {
    if (text !== '') yield JSON.parse(text) as Line; // as: written by the line above
  }
}
