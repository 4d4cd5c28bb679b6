import { appendFileSync, createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Testimony } from '../../apps/simulator/src/control/witness.ts';

export type IntervalProfile = 'lpa' | 'lpb' | 'energy';
/** Columns of a stored row by their names, an entry a slot; null: nothing is stored there. */
export type Columns = Record<string, (number | null)[] | null>;

/** One line of a history: what the field swears to, what the product acknowledged while it was tortured, and what it held in the end. */
export type Line =
  | Testimony
  /** The world is a function of its seed and size: what is true needs not be written down. */
  | { t: 'begin'; seed: number; scale: string; at: number; timeZone?: string }
  | { t: 'fault'; kind: string; seed: number; targets: string[] }
  | { t: 'killed'; what: string; afterMs: number }
  | { t: 'recovered'; kind: string; seed: number; ms: number }
  | { t: 'stuck'; kind: string; seed: number; what: string }
  /** An order for a local day ended in success and said so many rows. */
  | { t: 'acked'; sn: string; profile: IntervalProfile; day: string; rows: number }
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
  /** Alarms of a meter that the product has kept. */
  | { t: 'alarms'; sn: string; kept: number }
  | { t: 'command'; id: string; sn: string; operation: string; state: string; isSent: boolean }
  /** How complete a run over days was: what was due, what is there, and what the ledger says of the rest. */
  | { t: 'slots'; sn: string; profile: IntervalProfile | 'daily'; due: number; got: number; explained: number; isReachable: boolean }
  /** A plan for one time of every day, minutes since midnight, and when it ran between two moments. */
  | { t: 'runs'; plan: string; minute: number; from: number; to: number; at: number[] }
  | { t: 'end'; at: number };

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
