import { ByteWriter } from '@hes/dlms/codec/byte-writer.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { CLOCK_COLUMN, parseSelection, type Selection } from '@hes/dlms/cosem/selective-access.ts';
import type { DataAccessResult } from '@hes/dlms/xdlms/data-access-result.ts';
import { simulate } from '#devices/simulate.ts';
import { DEVIATION_MINUTES } from '#world/calendar.ts';

/** Rows by capture moment, oldest first; the clock is always column 0. */
export interface Profile {
  columns: readonly CaptureObject[];
  /** Seconds; 0 if events trigger the rows. */
  capturePeriodSeconds: number;
  /** Maximum number of rows in the buffer. */
  capacity: number;
  /** Moments of the rows held at present. */
  held(): Held;
  /** Writes the rows at positions [from, to) of `held`, each as a structure of the chosen columns. */
  writeRows(out: ByteWriter, held: Held, from: number, to: number, columns: readonly number[]): void;
}

/** Moments of rows in rising order. */
export interface Held {
  count: number;
  at(position: number): number;
  /** Position of the first row at or after a moment; `count` when there is none. */
  firstAt(moment: number): number;
}

const ARRAY = 0x01;

export const profileObject = simulate(profileGeneric, (profile: Profile) => ({
  read: {
    captureObjects: () => [...profile.columns],
    capturePeriod: () => profile.capturePeriodSeconds,
    sortMethod: () => 'fifo' as const,
    sortObject: () => CLOCK_COLUMN,
    entriesInUse: () => profile.held().count,
    profileEntries: () => profile.capacity,
  },
  readEncoded: { buffer: (selection) => readBuffer(profile, selection) },
}));

interface Window {
  from: number;
  to: number;
  columns: number[];
}

function readBuffer(profile: Profile, selection: Selection | undefined): Uint8Array | DataAccessResult {
  const held = profile.held();
  const window = selection ? selected(profile, held, selection) : { from: 0, to: held.count, columns: profile.columns.map((_, i) => i) };
  if (typeof window === 'string') return window;
  const rows = Math.max(0, window.to - window.from);
  // A row of the widest profile takes about 80 octets; this initial size avoids copies while writing.
  const out = new ByteWriter(16 + rows * (6 + 8 * window.columns.length));
  out.uint8(ARRAY);
  out.length(rows);
  if (rows > 0) profile.writeRows(out, held, window.from, window.to, window.columns);
  return out.finish();
}

function selected(profile: Profile, held: Held, selection: Selection): Window | DataAccessResult {
  const asked = parseSelection(selection);
  if (asked === undefined) return 'typeUnmatched';
  if (asked.kind === 'entry') {
    const lastColumn = asked.toColumn === 0 ? profile.columns.length : Math.min(asked.toColumn, profile.columns.length);
    const firstColumn = Math.max(1, asked.fromColumn);
    return {
      from: Math.max(1, asked.fromEntry) - 1,
      to: asked.toEntry === 0 ? held.count : Math.min(asked.toEntry, held.count),
      columns: Array.from({ length: Math.max(0, lastColumn - firstColumn + 1) }, (_, i) => firstColumn - 1 + i),
    };
  }
  const from = toEpochMs(asked.from, DEVIATION_MINUTES);
  const to = toEpochMs(asked.to, DEVIATION_MINUTES);
  if (!isSame(asked.restricting, CLOCK_COLUMN) || from === null || to === null) return 'scopeOfAccessViolated';
  const columns =
    asked.columns.length === 0
      ? profile.columns.map((_, i) => i)
      : asked.columns.map((wanted) => profile.columns.findIndex((column) => isSame(column, wanted)));
  if (columns.includes(-1)) return 'objectUndefined';
  return { from: held.firstAt(from), to: held.firstAt(to + 1), columns };
}

const isSame = (a: CaptureObject, b: CaptureObject): boolean =>
  a.classId === b.classId && a.instance === b.instance && a.attributeId === b.attributeId;
