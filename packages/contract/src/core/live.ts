import { z } from 'zod';
import { archiveRow } from '../asset/archive.ts';
import { discoveredRow, discoveryRun } from '../asset/discovery.ts';
import { dcuOnlineStatus } from '../states/device.ts';
import { captureLevel, liveFrame } from '../debug/dcu-log.ts';
import { eventLog } from '../states/event.ts';
import { exportJob } from '../transfer/export.ts';
import { storedProfile } from '../reading/reading.ts';
import { taskItemRow, taskRow } from '../task/task.ts';
import { upgradeJobRow } from '../upgrade/job.ts';
import { upgradeRecordRow } from '../upgrade/record.ts';
import { day, id, instant } from './page.ts';

/** What the server tells open consoles. `id` is the thing's id; `data` depends on `type`. */
export const liveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('dcu.status'),
    ts: instant,
    id,
    data: z.object({ sn: z.string(), onlineStatus: dcuOnlineStatus, lastCommAt: instant.nullable() }),
  }),
  z.object({ type: z.literal('task.progress'), ts: instant, id, data: taskRow }),
  /** Rows of one task, batched: at most four messages a second and task. */
  z.object({ type: z.literal('task.item'), ts: instant, id, data: z.object({ items: z.array(taskItemRow) }) }),
  /** Records of a DCU's archive as they change, one by one while an order runs; `id` is the DCU's. Topic `archive:<dcuId>`. */
  z.object({ type: z.literal('archive.item'), ts: instant, id, data: z.object({ items: z.array(archiveRow) }) }),
  /** Meters a DCU has just heard, and how its search stands; `id` is the DCU's. Topic `discovery:<dcuId>`. */
  z.object({ type: z.literal('discovery.found'), ts: instant, id, data: z.object({ run: discoveryRun, items: z.array(discoveredRow) }) }),
  /** Devices of an upgrade as they go on, at most four messages a second; `id` is the upgrade's. Topics `upgrade:<jobId>` and `upgrade`. */
  z.object({ type: z.literal('upgrade.item'), ts: instant, id, data: z.object({ items: z.array(upgradeRecordRow) }) }),
  /** How an upgrade as a whole stands, on the same topics. */
  z.object({ type: z.literal('upgrade.job'), ts: instant, id, data: upgradeJobRow }),
  /** The network of a DCU was read and is another one; `id` is the DCU's. Topic `topology:<dcuId>`. */
  z.object({
    type: z.literal('topology.changed'),
    ts: instant,
    id,
    data: z.object({ takenAt: instant, joined: z.number().int(), left: z.number().int(), moved: z.number().int() }),
  }),
  /** Readings were stored: at most one a second. */
  z.object({
    type: z.literal('reading.stored'),
    ts: instant,
    id: z.literal('0'),
    data: z.object({
      values: z.number().int(),
      meters: z.number().int(),
      /** Which days of what: those of the utility for freezes, of UTC for profiles. */
      spans: z.array(z.object({ profile: storedProfile, from: day, to: day })),
    }),
  }),
  /** Somebody changed devices by hand; in a part of the network the ids are left out. */
  z.object({
    type: z.literal('device.changed'),
    ts: instant,
    id: z.literal('0'),
    data: z.object({ kind: z.enum(['dcu', 'meter']), ids: z.array(id) }),
  }),
  /** Events were stored; each of `events` is worth a call. Those that are quiet or of no level only count. */
  z.object({
    type: z.literal('event.new'),
    ts: instant,
    id: z.literal('0'),
    data: z.object({
      count: z.number().int(),
      events: z.array(
        z.object({
          id,
          dcuId: id.nullable(),
          dcuSn: z.string(),
          meterSn: z.string().nullable(),
          log: eventLog,
          code: z.number().int(),
          nameEn: z.string().nullable(),
          nameZh: z.string().nullable(),
          abnormalLevel: z.enum(['serious', 'warning']),
          occurAt: instant,
        }),
      ),
    }),
  }),
  /** Frames of a DCU that is captured, as its exchanges end; `left`: how many more there were than a console can show. Topic `dculog:<dcuId>`. */
  z.object({ type: z.literal('dculog.frame'), ts: instant, id, data: z.object({ frames: z.array(liveFrame), left: z.number().int() }) }),
  /** Somebody switched the capture of a DCU, on the same topic. */
  z.object({ type: z.literal('dculog.capture'), ts: instant, id, data: z.object({ level: captureLevel }) }),
  /** A file of the caller's that took its time. */
  z.object({ type: z.literal('export.ready'), ts: instant, id, data: exportJob }),
  z.object({ type: z.literal('session.revoked'), ts: instant, id, data: z.object({ reason: z.string() }) }),
  /** Told to everyone it concerns, whatever they follow: ask again for rights, menu or settings. */
  z.object({ type: z.literal('notice'), ts: instant, id, data: z.object({ about: z.enum(['permissions', 'modules', 'settings']) }) }),
]);
export type LiveMessage = z.infer<typeof liveMessage>;

/** A page takes what it shows: `task:<id>`, `archive:<dcuId>`, `discovery:<dcuId>`, `topology:<dcuId>`, `upgrade:<jobId>`, `upgrade`, `dcu`, `reading`, `event`. The keep-alive is the plain text `ping`, answered by `pong`. */
export const liveRequest = z.object({ type: z.enum(['subscribe', 'unsubscribe']), topics: z.array(z.string().max(64)).max(100) });
export type LiveRequest = z.infer<typeof liveRequest>;

export const LIVE_PING_MS = 10_000;
export const LIVE_RECONNECT_MS = 10_000;

/** Sub-protocol of the live socket. A client offers it together with `liveTicketProtocol(ticket)`. */
export const LIVE_PROTOCOL = 'hes.live';
const TICKET_PREFIX = 'hes.ticket.';
export const liveTicketProtocol = (ticket: string): string => TICKET_PREFIX + ticket;
/** The ticket among the sub-protocols that a client offers. */
export const liveTicketIn = (protocols: readonly string[]): string | undefined =>
  protocols.find((protocol) => protocol.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length);
