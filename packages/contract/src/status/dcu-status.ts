import { z } from 'zod';
import { id, idParams, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';
import { clockClass } from '../states/clock.ts';
import { dcuOnlineStatus, freshness } from '../states/device.ts';
import { signalStrength } from '../states/signal.ts';
import { attemptRow, statusEvent, timelineRow } from './meter-status.ts';

/** Facts of a part are null if the user has no right on the page that shows them in full. */
export const dcuFacts = z.object({
  at: instant,
  id,
  sn: z.string(),
  name: z.string(),
  typeName: z.string(),
  firmwareVersion: z.string().nullable(),
  transformer: z.object({ id, name: z.string() }).nullable(),
  onlineStatus: dcuOnlineStatus,
  lastCommAt: instant.nullable(),
  freshness,
  since: instant.nullable(),
  closeReason: z.string().nullable(),
  /** Connections that began within 24 hours. */
  connections: z.number().int(),
  uplink: z
    .object({ signalDbm: z.number().nullable(), signal: signalStrength, readAt: instant, operator: z.string().nullable() })
    .nullable(),
  meters: z.number().int(),
  silent: z.number().int(),
  /** Meters without communication for a day, longest first. */
  silentMeters: z.array(z.object({ meterId: id, sn: z.string(), lastCommAt: instant.nullable(), reasonCode: z.string().nullable() })),
  network: z
    .object({ takenAt: instant.nullable(), stations: z.number().int(), online: z.number().int(), depth: z.number().int() })
    .nullable(),
  /** Entries of the archive that differ between head-end and DCU; null: none is known, because they were never compared. */
  archive: z.object({ differs: z.number().int().nullable() }).nullable(),
  clock: z.object({ class: clockClass, deviationMs: z.number().nullable(), readAt: instant.nullable() }).nullable(),
  attempts: z.array(attemptRow).nullable(),
  events: z.array(statusEvent).nullable(),
  timeline: z.array(timelineRow),
});
export type DcuFacts = z.infer<typeof dcuFacts>;

export const dcuStatus = {
  get: route({
    method: 'GET',
    path: '/status/dcu/{id}',
    summary: 'Stored facts about a DCU by which its status page says whether it is well, and why not',
    allow: { page: PAGE_PATH.dcus, action: 'view' },
    params: idParams,
    response: dcuFacts,
    errors: ['NOT_FOUND'],
  }),
};
