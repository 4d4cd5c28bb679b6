import { z } from 'zod';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { fileAnswer } from '../core/file.ts';
import { route } from '../core/route.ts';
import type { Text } from '../core/text.ts';
import { traceFrame } from '../trace/trace.ts';
import { exportOf } from '../transfer/export.ts';
import { PAGE_PATH } from '../page/paths.ts';

const page = PAGE_PATH.dcuLog;

/** `off`: only traces are stored; `errors`: also frames of failed round trips; `all`: every frame. */
export const captureLevel = z.enum(['off', 'errors', 'all']);
export type CaptureLevel = z.infer<typeof captureLevel>;
export const MAX_CAPTURE_HOURS = 24;
export const MAX_FRAME_NOTE_LENGTH = 256;

/** `D`: dialogue with the DCU; `M`: with a meter behind it; `P`: pushed messages. */
export const FRAME_CHANNELS = ['D', 'M', 'P'] as const;
export const frameChannel = z.enum(FRAME_CHANNELS);
export const FRAME_DIRECTIONS = ['down', 'up'] as const;
export const frameDirection = z.enum(FRAME_DIRECTIONS);

export const FRAME_CHANNEL_TEXT: Record<z.infer<typeof frameChannel>, Text> = {
  D: { en: 'DCU', zh: '集中器' },
  M: { en: 'Meter', zh: '电表' },
  P: { en: 'Push', zh: '上报' },
};
export const FRAME_DIRECTION_TEXT: Record<z.infer<typeof frameDirection>, Text> = {
  down: { en: 'Down', zh: '下行' },
  up: { en: 'Up', zh: '上行' },
};
export const NO_ANSWER_TEXT: Text = { en: 'No answer', zh: '无应答' };

export const frameRow = z.object({
  id,
  dcuId: id,
  dcuSn: z.string(),
  at: instant,
  direction: frameDirection,
  channel: frameChannel,
  meterId: id.nullable(),
  meterSn: z.string().nullable(),
  /** Name of the APDU, such as `getRequest` or `aare`. */
  service: z.string(),
  /** Octets on the wire in hex, with secrets blanked. */
  hex: z.string(),
  octets: z.number().int(),
  latencyMs: z.number().int().nullable(),
  /** Null: no error. */
  result: z.string().nullable(),
  note: z.string().nullable(),
  sessionId: id.nullable(),
  traceId: z.string().nullable(),
  /** Task to which the frame belongs; null: none, or unknown. */
  taskId: id.nullable(),
});
export type FrameRow = z.infer<typeof frameRow>;

/** A frame in live messages, sent before it is stored. */
export const liveFrame = frameRow.omit({ id: true, dcuSn: true }).extend({ key: z.string() });
export type LiveFrame = z.infer<typeof liveFrame>;

/** Live view of a console: the newest frames, and the number of frames dropped at the rate limit. */
export interface LiveLog {
  frames: LiveFrame[];
  left: number;
}

const filters = z.object({
  dcuId: id,
  from: day.optional(),
  to: day.optional(),
  direction: frameDirection.optional(),
  channel: csv(frameChannel).optional(),
  service: z.string().max(40).optional(),
  /** Only frames with an error. */
  failed: z.stringbool().optional(),
  meter: z.string().max(20).optional(),
  /** Octets to search for, in hex with or without spaces. */
  hex: z
    .string()
    .max(200)
    .regex(/^[0-9a-fA-F\s]*$/)
    .optional(),
});
export type FrameFilters = z.output<typeof filters>;

export const captureRow = z.object({
  dcuId: id,
  level: captureLevel,
  endsAt: instant.nullable(),
  /** Null: both. */
  direction: frameDirection.nullable(),
  /** Empty: the DCU and all of its meters. */
  meterIds: z.array(id),
  meterSns: z.array(z.string()),
  setBy: z.string().nullable(),
});
export type CaptureRow = z.infer<typeof captureRow>;

export const frameNote = z.object({
  note: z.string().trim().max(MAX_FRAME_NOTE_LENGTH),
  /** The note that the caller last read; the call fails with `STALE` if it has changed since. */
  before: z.string().nullable(),
});

export const dcuLog = {
  list: route({
    method: 'GET',
    path: '/debug/dcu-log',
    summary: 'Captured frames of a DCU, newest first',
    allow: { page, action: 'view' },
    query: pageQuery.extend(filters.shape),
    response: pageOf(frameRow),
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
  get: route({
    method: 'GET',
    path: '/debug/dcu-log/frame/{id}',
    summary: 'A captured frame, decoded',
    allow: { page, action: 'view' },
    params: z.object({ id }),
    response: traceFrame.extend({ note: z.string().nullable() }),
    errors: ['NOT_FOUND'],
  }),
  note: route({
    method: 'PUT',
    path: '/debug/dcu-log/frame/{id}/note',
    summary: 'Set the note of a captured frame; an empty text deletes it',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: z.object({ id }),
    body: frameNote,
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'STALE', 'VALIDATION'],
  }),
  captures: route({
    method: 'GET',
    path: '/debug/dcu-log/capture',
    summary: 'DCUs with an active capture, with its end',
    allow: { page, action: 'view' },
    response: listOf(captureRow),
  }),
  capture: route({
    method: 'PUT',
    path: '/debug/dcu-log/capture',
    summary: 'Switch the capture of DCUs on or off; it ends automatically',
    allow: { page, action: 'configure' },
    endangers: 'nothing',
    body: z.object({
      dcuIds: z.array(id).min(1).max(100),
      level: captureLevel,
      hours: z.number().int().min(1).max(MAX_CAPTURE_HOURS).default(MAX_CAPTURE_HOURS),
      /** Null: both. */
      direction: frameDirection.nullable().default(null),
      /** Empty: the DCU and all of its meters. */
      meterIds: z.array(id).max(100).default([]),
    }),
    response: listOf(captureRow),
    errors: ['DCU_NOT_FOUND', 'METER_NOT_FOUND', 'VALIDATION'],
  }),
  clear: route({
    method: 'POST',
    path: '/debug/dcu-log/clear',
    summary: 'Delete the captured frames of a DCU; traces of readings and commands stay',
    allow: { page, action: 'delete' },
    endangers: 'nothing',
    body: z.object({ dcuId: id }),
    response: z.object({ removed: z.number().int() }),
    errors: ['DCU_NOT_FOUND', 'VALIDATION'],
  }),
  device: route({
    method: 'POST',
    path: '/debug/dcu-log/device',
    summary: 'Read the log that the DCU itself keeps',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ dcuId: id, from: day, to: day }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION', 'DCU_LACKS'],
  }),
  replay: route({
    method: 'POST',
    path: '/debug/dcu-log/replay',
    summary: 'Let simulated devices replay the responses of captured frames for 15 minutes, or end the replay',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({
      dcuId: id,
      isOn: z.boolean(),
      /** Only frames of this meter. */
      meter: z.string().max(20).optional(),
    }),
    response: z.object({ devices: z.number().int(), answers: z.number().int() }),
    errors: ['DCU_NOT_FOUND', 'NO_SIMULATOR', 'NOTHING_TO_DO', 'VALIDATION'],
  }),
  ndjson: route({
    method: 'GET',
    path: '/debug/dcu-log/ndjson',
    summary: 'Captured frames as NDJSON, oldest first',
    allow: { page, action: 'export' },
    query: filters,
    response: fileAnswer,
    answer: 'file',
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};
export const dcuLogExport = exportOf('dcu-log', dcuLog.list);
