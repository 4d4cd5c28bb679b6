import { z } from 'zod';
import { csv, day, id, instant, listOf, pageOf, pageQuery, taskRef } from '../core/page.ts';
import { fileAnswer } from '../core/file.ts';
import { route } from '../core/route.ts';
import type { Text } from '../core/text.ts';
import { traceFrame } from '../trace/trace.ts';
import { exportOf } from '../transfer/export.ts';

const page = '/system/debug/dcu-log-management';

/** off: nothing is kept beside the traces; errors: exchanges in which something went wrong; all: every frame. */
export const captureLevel = z.enum(['off', 'errors', 'all']);
export type CaptureLevel = z.infer<typeof captureLevel>;
export const MAX_CAPTURE_HOURS = 24;
export const MAX_FRAME_NOTE_LENGTH = 256;

/** D: the DCU itself, M: a meter behind it, P: what was pushed. */
export const frameChannel = z.enum(['D', 'M', 'P']);
export const frameDirection = z.enum(['down', 'up']);

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
  /** The APDU, as the standard calls it: `getRequest`, `aare`. */
  service: z.string(),
  /** Hex of what was on the wire, secrets blanked. */
  hex: z.string(),
  octets: z.number().int(),
  latencyMs: z.number().int().nullable(),
  /** Null: nothing wrong. */
  result: z.string().nullable(),
  note: z.string().nullable(),
  sessionId: id.nullable(),
  traceId: z.string().nullable(),
  /** The task it was work for; null: nobody's order, or none that is known. */
  taskId: id.nullable(),
});
export type FrameRow = z.infer<typeof frameRow>;

/** What the console is told as it happens, before it is stored. */
export const liveFrame = frameRow.omit({ id: true, dcuSn: true }).extend({ key: z.string() });
export type LiveFrame = z.infer<typeof liveFrame>;

/** What a console holds: the newest frames, and how many it was not told because they came too fast. */
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
  /** Only what went wrong. */
  failed: z.stringbool().optional(),
  meter: z.string().max(20).optional(),
  /** Octets in hex, with or without spaces. */
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
    summary: 'Write a note beside a captured frame; an empty one takes it away',
    allow: { page, action: 'edit' },
    endangers: 'nothing',
    params: z.object({ id }),
    body: z.object({
      note: z.string().trim().max(MAX_FRAME_NOTE_LENGTH),
      /** As it was when it was looked at. */
      before: z.string().nullable(),
    }),
    response: z.undefined(),
    status: 204,
    errors: ['NOT_FOUND', 'STALE', 'VALIDATION'],
  }),
  captures: route({
    method: 'GET',
    path: '/debug/dcu-log/capture',
    summary: 'Which DCUs are captured, and until when',
    allow: { page, action: 'view' },
    response: listOf(captureRow),
  }),
  capture: route({
    method: 'PUT',
    path: '/debug/dcu-log/capture',
    summary: 'Switch the capture of DCUs on or off; it ends by itself',
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
    summary: "Read the DCU's own log",
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({ dcuId: id, from: day, to: day }),
    response: taskRef,
    status: 202,
    errors: ['DCU_NOT_FOUND', 'RANGE_TOO_LONG', 'VALIDATION'],
  }),
  replay: route({
    method: 'POST',
    path: '/debug/dcu-log/replay',
    summary: 'Let simulated devices answer as they did in the captured frames, for a quarter of an hour; or end it',
    allow: { page, action: 'execute' },
    endangers: 'nothing',
    body: z.object({
      dcuId: id,
      isOn: z.boolean(),
      /** Of one meter alone. */
      meter: z.string().max(20).optional(),
    }),
    response: z.object({ devices: z.number().int(), answers: z.number().int() }),
    errors: ['DCU_NOT_FOUND', 'NO_SIMULATOR', 'NOTHING_TO_DO', 'VALIDATION'],
  }),
  ndjson: route({
    method: 'GET',
    path: '/debug/dcu-log/ndjson',
    summary: 'Captured frames as one JSON object a line, oldest first',
    allow: { page, action: 'export' },
    query: filters,
    response: fileAnswer,
    answer: 'file',
    errors: ['RANGE_TOO_LONG', 'VALIDATION'],
  }),
};
export const dcuLogExport = exportOf('dcu-log', dcuLog.list);
