import { z } from 'zod';
import { measured } from '../core/measured.ts';
import { instant } from '../core/page.ts';
import { clockMethod } from '../states/clock.ts';
import { authenticationType, relayState } from '../states/device.ts';
import { eventDirection, eventLog } from '../states/event.ts';
import { uplinkReading } from '../states/uplink.ts';

/** One value that a device returned. `value` has the scaler applied; `raw` and `scaler` are as received. */
export const readValue = z.object({
  item: z.string(),
  obis: z.string(),
  value: z.union([z.number(), z.string()]).nullable(),
  unit: z.string(),
  at: instant.nullable(),
  raw: z.string().nullable(),
  scaler: z.number().int().nullable(),
  reasonCode: z.string().nullable(),
});
export type ReadValue = z.infer<typeof readValue>;

/** A clock as read, or as read back after a synchronization. */
export const clockResult = z.object({
  deviceTime: z.string(),
  /** Positive when the device is ahead; null when the device returned no valid time. */
  deviationMs: z.number().int().nullable(),
  roundTripMs: z.number().int(),
  status: z.number().int().nullable(),
  method: clockMethod.nullable(),
  /** The deviation before the synchronization. */
  beforeMs: z.number().int().nullable(),
});
export type ClockResult = z.infer<typeof clockResult>;

/** Entries that an event log returned; `rows` holds the newest. */
export const eventReadResult = z.object({
  found: z.number().int(),
  fresh: z.number().int(),
  /** Logs that the device does not have. */
  absent: z.array(eventLog),
  rows: z.array(
    z.object({
      log: eventLog,
      code: z.number().int(),
      occurAt: instant,
      direction: eventDirection,
      message: z.string(),
      abnormalLevel: z.enum(['serious', 'warning']).nullable(),
      /** The event was stored before this reading. */
      isKnown: z.boolean(),
    }),
  ),
});
export type EventReadResult = z.infer<typeof eventReadResult>;

/** A relay as read, or as read back after a command. */
export const relayResult = z.object({
  output: z.boolean(),
  state: relayState,
  mode: z.number().int(),
  powerBeforeW: z.number().int().nullable(),
  powerAfterW: z.number().int().nullable(),
  /** False when the relay already had the requested state and no command was sent. */
  wasSent: z.boolean(),
});
export type RelayResult = z.infer<typeof relayResult>;

/** One step of an order that has several: `connect`, `associate`, `read_name`, `release`, `restart`, `return`. */
export const taskStep = z.object({
  key: z.string(),
  ok: z.boolean(),
  ms: z.number().int(),
  detail: z.string().nullable(),
  reasonCode: z.string().nullable(),
});
export type TaskStep = z.infer<typeof taskStep>;

/** The parameters that client and device negotiated for an association, as used on the wire. */
export const linkResult = z.object({
  authenticationType,
  /** Security suite of the ciphering; null when services are not protected. */
  suite: z.number().int().nullable(),
  conformance: z.array(z.string()),
  /** Size of the largest APDU that the device receives. */
  maxPduSize: measured('B').int(),
  /** Hexadecimal; null when the device did not send one. */
  systemTitle: z.string().nullable(),
});
export type LinkResult = z.infer<typeof linkResult>;

/** Stored readings of a meter, compared with its buffers. */
export const auditResult = z.object({
  /** Rows and values that were compared, and rows that the meter no longer holds. */
  rows: z.number().int(),
  values: z.number().int(),
  absent: z.number().int(),
  /** Number of values that differ; `differences` lists the first of them, in storage units. */
  different: z.number().int(),
  differences: z.array(
    z.object({ profile: z.string(), ts: instant, column: z.string(), stored: z.number(), meter: z.number().nullable() }),
  ),
});
export type AuditResult = z.infer<typeof auditResult>;

/** An object of a device's object list, with the attributes that may be read. */
const listedObject = z.object({
  classId: z.number().int(),
  version: z.number().int(),
  obis: z.string(),
  readable: z.array(z.number().int()),
});

/** Every part that the result of an item can have; an order declares the parts that its items return. */
export const RESULT_PARTS = {
  values: z.array(readValue),
  /** Number of rows stored. */
  rows: z.number().int(),
  objects: z.array(listedObject),
  steps: z.array(taskStep),
  /** Named counters, such as `inserted` and `removed` of an archive, or the `announced` objects of a list. */
  counts: z.record(z.string(), z.number().int()),
  clock: clockResult,
  events: eventReadResult,
  relay: relayResult,
  uplink: uplinkReading,
  link: linkResult,
  audit: auditResult,
};
export type ResultPart = keyof typeof RESULT_PARTS;

export const itemResult = z.object(RESULT_PARTS).partial();
export type ItemResult = z.infer<typeof itemResult>;
