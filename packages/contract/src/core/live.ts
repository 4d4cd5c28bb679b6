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

/** Messages from the server to clients of the live socket. `id` is the id of the subject; `data` depends on `type`. */
export const liveMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('dcu.status'),
    ts: instant,
    id,
    data: z.object({ sn: z.string(), onlineStatus: dcuOnlineStatus, lastCommAt: instant.nullable() }),
  }),
  z.object({ type: z.literal('task.progress'), ts: instant, id, data: taskRow }),
  /** Changed items of a task, batched: at most four messages per second and task. */
  z.object({ type: z.literal('task.item'), ts: instant, id, data: z.object({ items: z.array(taskItemRow) }) }),
  /** Changed records of a DCU's archive; `id` is that of the DCU. Topic `archive:<dcuId>`. */
  z.object({ type: z.literal('archive.item'), ts: instant, id, data: z.object({ items: z.array(archiveRow) }) }),
  /** Meters a DCU has just heard, and the state of its search; `id` is that of the DCU. Topic `discovery:<dcuId>`. */
  z.object({ type: z.literal('discovery.found'), ts: instant, id, data: z.object({ run: discoveryRun, items: z.array(discoveredRow) }) }),
  /** Progress of the devices of an upgrade, at most four messages per second; `id` is that of the upgrade. Topics `upgrade:<jobId>` and `upgrade`. */
  z.object({ type: z.literal('upgrade.item'), ts: instant, id, data: z.object({ items: z.array(upgradeRecordRow) }) }),
  /** State of an upgrade as a whole, on the same topics. */
  z.object({ type: z.literal('upgrade.job'), ts: instant, id, data: upgradeJobRow }),
  /** The network of a DCU was read and has changed; `id` is that of the DCU. Topic `topology:<dcuId>`. */
  z.object({
    type: z.literal('topology.changed'),
    ts: instant,
    id,
    data: z.object({ takenAt: instant, joined: z.number().int(), left: z.number().int(), moved: z.number().int() }),
  }),
  /** Readings were stored; at most one message per second. */
  z.object({
    type: z.literal('reading.stored'),
    ts: instant,
    id: z.literal('0'),
    data: z.object({
      values: z.number().int(),
      meters: z.number().int(),
      /** Kinds and days of the readings: days of the utility for freezes, UTC days for profiles. */
      spans: z.array(z.object({ profile: storedProfile, from: day, to: day })),
    }),
  }),
  /** A user changed devices; without ids for users with a partial network area. */
  z.object({
    type: z.literal('device.changed'),
    ts: instant,
    id: z.literal('0'),
    data: z.object({ kind: z.enum(['dcu', 'meter']), ids: z.array(id) }),
  }),
  /** Events were stored. `events` lists those to announce; muted ones and those without a level are only counted. */
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
          dcuSn: z.string().nullable(),
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
  /** A user changed rows of a list, such as by an approval; `path` is that of the route of the list. Topic `list`. */
  z.object({ type: z.literal('list.changed'), ts: instant, id: z.literal('0'), data: z.object({ path: z.string() }) }),
  /** Captured frames of a DCU, after each round trip; `left`: number of frames dropped at the rate limit. Topic `dculog:<dcuId>`. */
  z.object({ type: z.literal('dculog.frame'), ts: instant, id, data: z.object({ frames: z.array(liveFrame), left: z.number().int() }) }),
  /** A user switched the capture of a DCU on or off, on the same topic. */
  z.object({ type: z.literal('dculog.capture'), ts: instant, id, data: z.object({ level: captureLevel }) }),
  /** State of an export of the user. */
  z.object({ type: z.literal('export.ready'), ts: instant, id, data: exportJob }),
  z.object({ type: z.literal('session.revoked'), ts: instant, id, data: z.object({ reason: z.string() }) }),
  /** Sent to all clients of a server that was cut off from the others: messages may be lost, so the client must ask again for what it shows. */
  z.object({ type: z.literal('missed'), ts: instant, id: z.literal('0'), data: z.object({}) }),
  /** Sent to all users concerned, without a subscription: the client must reload rights, menu or settings. */
  z.object({ type: z.literal('notice'), ts: instant, id, data: z.object({ about: z.enum(['permissions', 'modules', 'settings']) }) }),
]);
export type LiveMessage = z.infer<typeof liveMessage>;

/** Messages from clients: subscriptions to the topics above. The keep-alive is the plain text `ping`, answered by `pong`. */
export const liveRequest = z.object({ type: z.enum(['subscribe', 'unsubscribe']), topics: z.array(z.string().max(64)).max(100) });
export type LiveRequest = z.infer<typeof liveRequest>;

export const LIVE_PING_MS = 10_000;
export const LIVE_RECONNECT_MS = 10_000;

/** WebSocket sub-protocol of the live socket. A client offers it together with `liveTicketProtocol(ticket)`. */
export const LIVE_PROTOCOL = 'hes.live';
const TICKET_PREFIX = 'hes.ticket.';
export const liveTicketProtocol = (ticket: string): string => TICKET_PREFIX + ticket;
/** Finds the ticket among the sub-protocols that a client offers. */
export const liveTicketIn = (protocols: readonly string[]): string | undefined =>
  protocols.find((protocol) => protocol.startsWith(TICKET_PREFIX))?.slice(TICKET_PREFIX.length);
