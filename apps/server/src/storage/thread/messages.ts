import type { LiveMessage } from '@hes/contract/core/live.ts';
import type { LogFields } from '#platform/log.ts';
import type { PoolOptions } from '#db/pool.ts';
import type { ProfileReading } from '../day-rows.ts';
import type { LatestValue } from '../latest.ts';
import type { Stored } from '../reading-store.ts';
import type { DailyRow } from '../staging.ts';
import type { TraceRow } from '../trace-writer.ts';

/** What the thread is started with. */
export interface ThreadOptions {
  connection: PoolOptions['connection'];
  timeZone: string;
}

/** Columns of a reading as one run of numbers, which changes hands without being copied. */
export interface PackedReading extends Omit<ProfileReading, 'stamps' | 'status' | 'channels'> {
  hasStatus: boolean;
  /** Channel numbers, in the order of their columns. */
  present: number[];
  /** Of the whole list of channels. */
  channelCount: number;
  /** Stamps, then the status words if there are any, then a column for each channel that is present. */
  numbers: Float64Array<ArrayBuffer>;
}

/** Something to store; `id` comes back in the answer. */
export type Order = { id: number; urgent: boolean } & (
  | { kind: 'profile'; reading: PackedReading }
  | { kind: 'daily'; rows: DailyRow[] }
  | { kind: 'values'; meterId: string; values: Record<string, LatestValue> }
);

export type ToThread = { kind: 'store'; now: number; orders: Order[]; traces: TraceRow[] } | { kind: 'stop' };

export type FromThread =
  | { kind: 'stored'; answers: { id: number; stored?: Stored; error?: unknown }[] }
  | { kind: 'publish'; topic: string; message: LiveMessage }
  | { kind: 'log'; level: 'debug' | 'info' | 'warn' | 'error'; message: string; fields: LogFields };

/** A reading, ready to change hands. */
export function packReading(reading: ProfileReading): PackedReading {
  const { stamps, status, channels, ...rest } = reading;
  const present = channels.flatMap((values, channel) => (values === undefined ? [] : [channel]));
  const count = stamps.length;
  const numbers = new Float64Array(count * (1 + (status === undefined ? 0 : 1) + present.length));
  let at = 0;
  for (const column of [stamps, status, ...channels]) {
    if (column === undefined) continue;
    numbers.set(column, at);
    at += count;
  }
  return { ...rest, hasStatus: status !== undefined, present, channelCount: channels.length, numbers };
}

/** The reading again; its columns are views of the packed numbers. */
export function unpackReading({ hasStatus, present, channelCount, numbers, ...rest }: PackedReading): ProfileReading {
  const count = numbers.length / (1 + (hasStatus ? 1 : 0) + present.length);
  let column = 0;
  const next = () => numbers.subarray(count * column, count * ++column);
  const stamps = next();
  const status = hasStatus ? next() : undefined;
  const channels: (Float64Array | undefined)[] = Array.from({ length: channelCount }, () => undefined);
  for (const channel of present) channels[channel] = next();
  return { ...rest, stamps, status, channels };
}
